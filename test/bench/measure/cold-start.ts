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
import { type Row, row } from "../row.ts";
import { tables } from "../stored.ts";
import { startSecureEngine } from "../tls.ts";
import { each, inRounds } from "../turns.ts";
import { read, type Workload } from "./workload.ts";

/** Requests after the first one. The later half counts as warm. */
const warmRequests = 30;

type ColdStart = { init: number; first: number; warm: number; cpuMilliseconds: number };

type Sides = Record<"ours" | "withoutWarmUp" | "floor" | "peer", string>;

/** @param client the file of AWS's runtime client */
export const measureColdStarts = async (
  workload: Workload,
  client: string,
  rounds: number,
): Promise<Row[]> => {
  const engine = await startSecureEngine(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const { AWS_REGION = "", AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
  const credentials = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN: "local" };
  const environment = {
    ...tables,
    POWERTOOLS_METRICS_NAMESPACE: "Bench",
    AWS_REGION,
    ...credentials,
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
    const cpuMilliseconds = started.cpuMilliseconds();
    const warm: number[] = [];
    while (warm.length < warmCount) warm.push(await request());
    await dutyCycle.stop();
    await started.stop();
    const { median } = figure(warm.slice(warmCount / 2));
    return { init: started.initMilliseconds, first, warm: median, cpuMilliseconds };
  };

  const rowsOf = async (name: string, bundles: Sides, newEvent: () => APIGatewayProxyEvent) => {
    const names = ["ours", "withoutWarmUp", "floor", "peer"] as const;
    const starts = await inRounds(rounds, names, (side) =>
      coldStart(bundles[side], newEvent, side === "ours" ? warmRequests : 0),
    );
    const of = (pick: (start: ColdStart) => number) => each(starts, (side) => figure(side.map(pick)));
    const first = of((start) => start.first);
    const sum = of((start) => start.init + start.first);
    const warm = of((start) => start.warm).ours;
    const without = "ours without warm-up";
    const both = `${name}, init phase and first request`;
    return [
      row(
        `${name}, init phase (ms)`,
        of((start) => start.init),
      ),
      row(`${name}, first request (ms)`, first, { atMost: 1.5, of: ["ours warm", warm] }),
      row(
        `${name}, first request, beside no warm-up (ms)`,
        { ours: first.ours },
        {
          atMost: 0.5,
          of: [without, first.withoutWarmUp],
        },
      ),
      row(`${both} (ms)`, sum, { atMost: 1, of: [without, sum.withoutWarmUp] }),
      row(
        `${both} (CPU ms)`,
        of((start) => start.cpuMilliseconds),
        { atMost: 0.9, of: "floor" },
      ),
    ];
  };
  const { bundles } = workload;
  try {
    const getMessage = {
      ours: bundles.getMessage,
      withoutWarmUp: bundles.getMessageWithoutWarmUp,
      floor: bundles.getMessageFloorSameClient,
      peer: bundles.getMessagePeer,
    };
    const addMember = {
      ours: bundles.addMember,
      withoutWarmUp: bundles.addMemberWithoutWarmUp,
      floor: bundles.addMemberFloor,
      peer: bundles.addMemberPeer,
    };
    return [
      ...(await rowsOf("Get Message, 50 KiB", getMessage, () => read(workload, "50 KiB"))),
      ...(await rowsOf("Add Account Member with a key", addMember, () =>
        addAccountMemberEvent(workload.caller),
      )),
    ];
  } finally {
    engine.stop();
  }
};

/** The size of a function's code. */
export const measureBundles = async ({ bundles }: Workload): Promise<Row[]> => {
  const rowOf = async (name: string, ours: string, floor: string, peer: string) => {
    const [a, b, c] = await Promise.all([ours, floor, peer].map(kibibytes));
    const sides = { ours: exactly(a ?? 0), floor: exactly(b ?? 0), peer: exactly(c ?? 0) };
    return row(`${name}, bundle (KiB)`, sides, { atMost: 0.85, of: "floor" });
  };
  return [
    await rowOf("Get Message", bundles.getMessage, bundles.getMessageFloor, bundles.getMessagePeer),
    await rowOf("Add Account Member", bundles.addMember, bundles.addMemberFloor, bundles.addMemberPeer),
  ];
};
