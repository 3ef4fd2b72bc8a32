/** What every measurement is given: the bundles, the caller, and the stored messages by their size. */
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Bundles } from "../bundles.ts";
import { type Caller, getMessageEvent } from "../events.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/** The emails, by the name that rows know their size by. */
export const sizes = { "50 KiB": 50 * KiB, "1 MiB": MiB, "5 MiB": 5 * MiB, "25 MiB": 25 * MiB } as const;
export type Size = keyof typeof sizes;

export type Workload = {
  bundles: Bundles;
  caller: Caller;
  ids: Record<Size, string>;
  /** The environment of a function that is a network away from the engine. */
  acrossNetwork: NodeJS.ProcessEnv;
};

export const read = ({ caller, ids }: Workload, size: Size): APIGatewayProxyEvent =>
  getMessageEvent(caller, ids[size]);
