/**
 * Cold starts under AWS's own runtime client, with TLS to the engine. The init phase has a whole processor. The first
 * request has 0.58 of a processor, as Lambda gives it to a function with 1,024 MB.
 */
import { dirname } from "node:path";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { startFunction } from "../../lambda/runtime.ts";
import { type Bundles, kibibytes } from "../bundles.ts";
import { startDutyCycle } from "../duty-cycle.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly, figure } from "../figure.ts";
import { type Row, row } from "../row.ts";
import { tables } from "../stored.ts";
import { startSecureEngine } from "../tls.ts";
import { inRounds } from "../turns.ts";
import { read, type Workload } from "./workload.ts";

/** Requests after the first one. The later half counts as warm. */
const warmRequests = 30;

type ColdStart = { init: number; first: number; warm: number; cpuMilliseconds: number };

/** By side, the variant's name in the bundles. */
type Sides = Record<"ours" | "withoutWarmUp" | "floor" | "peer", keyof Bundles>;

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

  const rowsOf = async (name: string, sides: Sides, newEvent: () => APIGatewayProxyEvent): Promise<Row[]> => {
    const names = Object.keys(sides) as (keyof Sides)[];
    const starts = await inRounds(rounds, names, (side) =>
      coldStart(workload.bundles[sides[side]], newEvent, side === "ours" ? warmRequests : 0),
    );
    const of = (side: keyof Sides, pick: (start: ColdStart) => number) => figure(starts[side].map(pick));
    const figures = (pick: (start: ColdStart) => number) => ({
      ours: of("ours", pick),
      floor: of("floor", pick),
      peer: of("peer", pick),
    });
    const first = ({ first }: ColdStart) => first;
    const sum = ({ init, first }: ColdStart) => init + first;
    return [
      row(
        `${name}, init phase (ms)`,
        figures(({ init }) => init),
      ),
      row(`${name}, first request (ms)`, figures(first), {
        atMost: 1.5,
        of: ["ours warm", of("ours", ({ warm }) => warm)],
      }),
      row(
        `${name}, first request without and with warm-up (ms)`,
        { ours: of("ours", first) },
        { atMost: 0.5, of: ["ours without warm-up", of("withoutWarmUp", first)] },
      ),
      row(`${name}, init phase and first request (ms)`, figures(sum), {
        atMost: 1,
        of: ["ours without warm-up", of("withoutWarmUp", sum)],
      }),
      row(
        `${name}, init phase and first request (CPU ms)`,
        figures(({ cpuMilliseconds }) => cpuMilliseconds),
        { atMost: 0.9, of: "floor" },
      ),
    ];
  };
  try {
    const getMessage = await rowsOf(
      "Get Message, 50 KiB",
      {
        ours: "getMessage",
        withoutWarmUp: "getMessageWithoutWarmUp",
        floor: "getMessageFloorSameClient",
        peer: "getMessagePeer",
      },
      () => read(workload, "50 KiB"),
    );
    const addMember = await rowsOf(
      "Add Account Member with a key",
      {
        ours: "addMember",
        withoutWarmUp: "addMemberWithoutWarmUp",
        floor: "addMemberFloor",
        peer: "addMemberPeer",
      },
      () => addAccountMemberEvent(workload.caller),
    );
    return [...getMessage, ...addMember];
  } finally {
    engine.stop();
  }
};

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
