/** Get Message of an ordinary email, warm: the processor's time for a request, which is what Lambda's clock counts. */
import { figure } from "../figure.ts";
import { type LoadedFunction, startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import { read, type Workload } from "./workload.ts";

const variants = ["ours", "floor", "mailsplit", "postal-mime"] as const;
type Variant = (typeof variants)[number];

/** Two processes of the same code differ by a fifth, by how V8 laid them out: several take turns. */
const processes = 3;
/** Requests after which V8 has little left to compile. */
const warmUp = 600;
const turn = 80;

export const measureWarm = async (workload: Workload, rounds: number): Promise<Row[]> => {
  const events = (count: number) => Array(count).fill(read(workload, "50 KiB"));
  const milliseconds: Record<Variant, number[]> = { ours: [], floor: [], mailsplit: [], "postal-mime": [] };
  for (let process = 0; process < processes; process++) {
    const functions = {} as Record<Variant, LoadedFunction>;
    const start = async (variant: Variant): Promise<void> => {
      functions[variant] = await startFunction(workload.bundles.getMessage[variant]);
      await functions[variant].run({ events: events(warmUp) });
    };
    await Promise.all(variants.map(start));
    const turns = await inRounds(rounds, variants, (variant) =>
      functions[variant].run({ events: events(turn) }),
    );
    await Promise.all(variants.map((variant) => functions[variant].stop()));
    for (const variant of variants) {
      milliseconds[variant].push(...turns[variant].map(({ cpuMilliseconds }) => cpuMilliseconds / turn));
    }
  }

  const ours = figure(milliseconds.ours);
  return [
    row(
      "Get Message, 50 KiB, warm (CPU ms/request)",
      { ours, floor: figure(milliseconds.floor) },
      { atMost: 1.25, of: "floor" },
    ),
    row(
      "Get Message, 50 KiB, warm, peer on mailsplit (CPU ms/request)",
      { ours, peer: figure(milliseconds.mailsplit) },
      { atMost: 0.67, of: "peer" },
    ),
    row(
      "Get Message, 50 KiB, warm, peer on postal-mime (CPU ms/request)",
      { ours, peer: figure(milliseconds["postal-mime"]) },
      { atMost: 0.67, of: "peer" },
    ),
  ];
};
