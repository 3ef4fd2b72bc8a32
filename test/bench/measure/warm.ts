/** Get Message of an ordinary email, warm: how many requests a second, and the processor's time for one. */
import { figure } from "../figure.ts";
import { type LoadedFunction, startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import { read, type Workload } from "./workload.ts";

const variants = ["ours", "floor", "mailsplit", "postal-mime"] as const;
type Variant = (typeof variants)[number];

/** Two processes of the same code differ by a fifth, by how V8 laid them out: several take turns. */
const processes = 3;
/** Milliseconds, after which V8 has little left to compile. */
const warmUp = 2000;
const turn = 250;

/** One request at a time, as Lambda sends them. */
const serve = async (started: LoadedFunction, workload: Workload) => {
  const { invocations, cpuMilliseconds } = await started.run({
    events: [read(workload, "50 KiB")],
    milliseconds: turn,
  });
  const busy = invocations.reduce((sum, { last }) => sum + last, 0);
  return {
    requestsPerSecond: (1000 * invocations.length) / busy,
    cpuMilliseconds: cpuMilliseconds / invocations.length,
  };
};

export const measureWarm = async (workload: Workload, rounds: number): Promise<Row[]> => {
  const served: Record<Variant, Awaited<ReturnType<typeof serve>>[]> = {
    ours: [],
    floor: [],
    mailsplit: [],
    "postal-mime": [],
  };
  for (let process = 0; process < processes; process++) {
    const functions = {} as Record<Variant, LoadedFunction>;
    for (const variant of variants) {
      functions[variant] = await startFunction(workload.bundles.getMessage[variant]);
      await functions[variant].run({ events: [read(workload, "50 KiB")], milliseconds: warmUp });
    }
    const turns = await inRounds(rounds, variants, (variant) => serve(functions[variant], workload));
    await Promise.all(variants.map((variant) => functions[variant].stop()));
    for (const variant of variants) served[variant].push(...turns[variant]);
  }

  const rate = (variant: Variant) => figure(served[variant].map((turn) => turn.requestsPerSecond));
  const cpu = (variant: Variant) => figure(served[variant].map((turn) => turn.cpuMilliseconds));
  const against = (peer: "mailsplit" | "postal-mime") => [
    row(
      `Get Message, 50 KiB, warm, peer on ${peer} (requests/s)`,
      { ours: rate("ours"), peer: rate(peer) },
      { atLeast: 1.5, of: "peer" },
    ),
    row(`Get Message, 50 KiB, warm, peer on ${peer} (CPU ms/request)`, {
      ours: cpu("ours"),
      peer: cpu(peer),
    }),
  ];
  return [
    row(
      "Get Message, 50 KiB, warm (requests/s)",
      { ours: rate("ours"), floor: rate("floor") },
      { atLeast: 0.8, of: "floor" },
    ),
    row("Get Message, 50 KiB, warm (CPU ms/request)", { ours: cpu("ours"), floor: cpu("floor") }),
    ...against("mailsplit"),
    ...against("postal-mime"),
  ];
};
