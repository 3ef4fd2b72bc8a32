/**
 * Cold starts under AWS's own runtime client, with TLS to the engine. The init phase has a whole processor. The first
 * request has 0.58 of a processor, as Lambda gives it to a function with 1,024 MB.
 */
import { dirname } from "node:path";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { startFunction } from "../../lambda/runtime.ts";
import { kibibytes } from "../bundles.ts";
import { startDutyCycle } from "../duty-cycle.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly, figure } from "../figure.ts";
import { type Goal, type Row, row } from "../row.ts";
import { tables } from "../stored.ts";
import { startSecureEngine } from "../tls.ts";
import { each, inRounds } from "../turns.ts";
import { read, type Workload } from "./workload.ts";

const rounds = 20;

/** Requests after the first one. The later half counts as warm. */
const warmRequests = 16;

/** Milliseconds. `sum` is the init phase and the first request, and `cpu` is their processor time. */
type ColdStart = Record<"init" | "first" | "sum" | "cpu" | "warm", number>;

/** @param client the file of AWS's runtime client */
export const measureColdStarts = async (workload: Workload, client: string): Promise<Row[]> => {
  const engine = await startSecureEngine(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const { AWS_REGION = "", AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
  const environment = {
    ...tables,
    POWERTOOLS_METRICS_NAMESPACE: "Bench",
    ...{ AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN: "local" },
    ...engine.environment,
  };

  const coldStart = async (
    bundle: string,
    newEvent: () => APIGatewayProxyEvent,
    warmCount: number,
  ): Promise<ColdStart> => {
    const started = await startFunction(client, { folder: dirname(bundle), environment });
    const dutyCycle = await startDutyCycle(started.pid);
    const request = async (): Promise<number> => {
      const invokedAt = performance.now();
      const { statusCode, body } = await started.invoke(newEvent());
      if (typeof body !== "string") for await (const _ of body);
      if (statusCode >= 300) throw new Error(`${bundle} responded ${statusCode}: ${started.log()}`);
      return performance.now() - invokedAt;
    };
    const first = await request();
    const cpu = started.cpuMilliseconds();
    const warm: number[] = [];
    while (warm.length < warmCount) warm.push(await request());
    await dutyCycle.stop();
    await started.stop();
    const init = started.initMilliseconds;
    return { init, first, sum: init + first, cpu, warm: figure(warm.slice(warmCount / 2)).median };
  };

  const { bundles } = workload;
  const rowsOf = async (
    name: string,
    variant: "getMessage" | "addMember",
    floor: string,
    newEvent: () => APIGatewayProxyEvent,
  ): Promise<Row[]> => {
    const withoutWarmUp = bundles[`${variant}WithoutWarmUp` as const];
    const sides = { ours: bundles[variant], withoutWarmUp, floor, peer: bundles[`${variant}Peer` as const] };
    const starts = await inRounds(rounds, ["withoutWarmUp", "ours", "floor", "peer"], (side) =>
      coldStart(sides[side], newEvent, side === "ours" ? warmRequests : 0),
    );
    const of = (field: keyof ColdStart) => each(starts, (side) => figure(side.map((start) => start[field])));
    const [first, sum] = [of("first"), of("sum")];
    const without = "ours without warm-up";
    const firstGoal: Goal = { atMost: 0.5, of: [without, first.withoutWarmUp] };
    const both = `${name}, init phase and first request`;
    return [
      row(`${name}, first request (ms)`, first, { atMost: 2, of: ["ours warm", of("warm").ours] }),
      row(`${name}, first request, beside no warm-up (ms)`, { ours: first.ours }, firstGoal),
      row(`${both} (ms)`, sum, { atMost: 1, of: [without, sum.withoutWarmUp] }),
      row(`${both} (CPU ms)`, of("cpu"), { atMost: 0.9, of: "floor" }),
    ];
  };
  const get = () => read(workload, "50 KiB");
  const add = () => addAccountMemberEvent(workload.caller);
  try {
    return [
      ...(await rowsOf("Get Message, 50 KiB", "getMessage", bundles.getMessageFloorSameClient, get)),
      ...(await rowsOf("Add Account Member with a key", "addMember", bundles.addMemberFloor, add)),
    ];
  } finally {
    engine.stop();
  }
};

/** The size of a function's code. */
export const measureBundles = async ({ bundles }: Workload): Promise<Row[]> => {
  const rowOf = async (name: string, ...files: string[]): Promise<Row> => {
    const [ours = exactly(0), floor, peer] = (await Promise.all(files.map(kibibytes))).map(exactly);
    return row(`${name}, bundle (KiB)`, { ours, floor, peer }, { atMost: 0.85, of: "floor" });
  };
  return [
    await rowOf("Get Message", bundles.getMessage, bundles.getMessageFloor, bundles.getMessagePeer),
    await rowOf("Add Account Member", bundles.addMember, bundles.addMemberFloor, bundles.addMemberPeer),
  ];
};
