/** Add Account Member with an Idempotency-Key: how long a request takes, warm. */
import { addAccountMemberEvent } from "../events.ts";
import { figure } from "../figure.ts";
import { type LoadedFunction, startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import type { Workload } from "./workload.ts";

const variants = ["ours", "floor", "powertools"] as const;
type Variant = (typeof variants)[number];

const warmUp = 800;
const turn = 60;

/** Every request is a new user under a new key. */
export const measureMembers = async ({ bundles, caller }: Workload, rounds: number): Promise<Row[]> => {
  const newEvents = (count: number) => Array.from({ length: count }, () => addAccountMemberEvent(caller));
  const functions = {} as Record<Variant, LoadedFunction>;
  for (const variant of variants) {
    functions[variant] = await startFunction(bundles.addAccountMember[variant]);
    await functions[variant].run({ events: newEvents(warmUp) });
  }
  const reports = await inRounds(rounds, variants, (variant) =>
    functions[variant].run({ events: newEvents(turn) }),
  );
  await Promise.all(variants.map((variant) => functions[variant].stop()));

  const latency = (variant: Variant) =>
    figure(reports[variant].map(({ invocations }) => figure(invocations.map(({ last }) => last)).median));
  const cpu = (variant: Variant) =>
    figure(reports[variant].map(({ cpuMilliseconds }) => cpuMilliseconds / turn));
  return [
    row(
      "Add Account Member with a key, warm (ms)",
      { ours: latency("ours"), floor: latency("floor"), peer: latency("powertools") },
      { atMost: 0.6, of: "peer" },
    ),
    row("Add Account Member with a key, warm (CPU ms/request)", {
      ours: cpu("ours"),
      floor: cpu("floor"),
      peer: cpu("powertools"),
    }),
  ];
};
