/** Add Account Member with an Idempotency-Key, warm: how long a request takes across the network, and on the processor. */
import { addAccountMemberEvent } from "../events.ts";
import { type Figure, figure } from "../figure.ts";
import { type LoadedFunction, startFunction } from "../function.ts";
import type { Report } from "../function-process.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import type { Workload } from "./workload.ts";

const variants = ["ours", "floor", "powertools"] as const;
type Variant = (typeof variants)[number];

const warmUp = 300;
const turn = 25;

export const measureMembers = async (workload: Workload, rounds: number): Promise<Row[]> => {
  const { bundles, caller, acrossNetwork } = workload;
  const newEvents = (count: number) => Array.from({ length: count }, () => addAccountMemberEvent(caller));
  const functions = {} as Record<Variant, LoadedFunction>;
  const start = async (variant: Variant): Promise<void> => {
    functions[variant] = await startFunction(bundles.addAccountMember[variant], acrossNetwork);
    await functions[variant].run({ events: newEvents(warmUp) });
  };
  await Promise.all(variants.map(start));

  /** Every request is a new user under a new key; then all of them again, as a caller does who saw no answer. */
  const newTurns = () => Array.from({ length: rounds }, () => newEvents(turn));
  const events = { ours: newTurns(), floor: newTurns(), powertools: newTurns() };
  const measure = (variant: Variant, round: number) =>
    functions[variant].run({ events: events[variant][round] ?? [] });
  const first = await inRounds(rounds, variants, measure);
  const again = await inRounds(rounds, ["ours", "powertools"], measure);
  await Promise.all(variants.map((variant) => functions[variant].stop()));

  const latency = (reports: Report[]): Figure =>
    figure(reports.map(({ invocations }) => figure(invocations.map(({ last }) => last)).median));
  const cpu = (reports: Report[]): Figure =>
    figure(reports.map(({ cpuMilliseconds }) => cpuMilliseconds / turn));
  const name = "Add Account Member with a key";
  return [
    row(
      `${name}, across the network (ms)`,
      { ours: latency(first.ours), floor: latency(first.floor), peer: latency(first.powertools) },
      { atMost: 0.45, of: "peer" },
    ),
    row(`${name}, across the network (CPU ms/request)`, {
      ours: cpu(first.ours),
      floor: cpu(first.floor),
      peer: cpu(first.powertools),
    }),
    row(`${name}, replayed, across the network (ms)`, {
      ours: latency(again.ours),
      peer: latency(again.powertools),
    }),
  ];
};
