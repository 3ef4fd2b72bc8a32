/** The input of every measurement: the bundles, the caller, and the stored messages by size. */
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Bundles } from "../bundles.ts";
import { type Caller, getMessageEvent } from "../events.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** The emails, by the name of their size in the rows. */
export const sizes = { "1 KiB": KiB, "50 KiB": 50 * KiB, "1 MiB": MiB, "5 MiB": 5 * MiB, "25 MiB": 25 * MiB } as const;
export type Size = keyof typeof sizes;

export type Workload = {
  bundles: Bundles;
  caller: Caller;
  ids: Record<Size, string>;
  /** The environment of a function that reaches the engine across a network. */
  acrossNetwork: NodeJS.ProcessEnv;
};

export const read = (
  { caller, ids }: Workload,
  size: Size,
  options?: Parameters<typeof getMessageEvent>[2],
): APIGatewayProxyEvent => getMessageEvent(caller, ids[size], options);

/** Repeats an event. */
export const times = <Event>(count: number, event: Event): Event[] => Array(count).fill(event);
