/**
 * Cold starts as Lambda does them: a fresh process under AWS's own runtime client, TLS to the engine, from the start
 * of the process to the last byte of the first response.
 */

import { dirname } from "node:path";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { startFunction } from "../../lambda/runtime.ts";
import { kibibytes } from "../bundles.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly, figure } from "../figure.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import { tables } from "../stored.ts";
import { startSecureEngine } from "../tls.ts";
import { read, type Workload } from "./workload.ts";

type ColdStart = { milliseconds: number; cpuMilliseconds: number };

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
  const coldStart = async (bundle: string, event: APIGatewayProxyEvent): Promise<ColdStart> => {
    const started = await startFunction(client, { folder: dirname(bundle), environment });
    const invokedAt = performance.now();
    const { statusCode, body } = await started.invoke(event);
    if (typeof body !== "string") for await (const _ of body);
    const milliseconds = started.initMilliseconds + performance.now() - invokedAt;
    const cpuMilliseconds = started.cpuMilliseconds();
    await started.stop();
    if (statusCode >= 300) throw new Error(`${bundle} answered ${statusCode}: ${started.log()}`);
    return { milliseconds, cpuMilliseconds };
  };
  const rowsOf = async (
    name: string,
    files: Record<"ours" | "floor" | "peer", string>,
    event: () => APIGatewayProxyEvent,
  ): Promise<Row[]> => {
    const sides = await inRounds(rounds, ["ours", "floor", "peer"], (side) =>
      coldStart(files[side], event()),
    );
    const figures = (of: (start: ColdStart) => number) => ({
      ours: figure(sides.ours.map(of)),
      floor: figure(sides.floor.map(of)),
      peer: figure(sides.peer.map(of)),
    });
    return [
      row(
        `${name}, cold start (ms)`,
        figures((start) => start.milliseconds),
        { atMost: 0.9, of: "floor" },
      ),
      row(
        `${name}, cold start (CPU ms)`,
        figures((start) => start.cpuMilliseconds),
        { atMost: 0.9, of: "floor" },
      ),
    ];
  };
  const { getMessage, addAccountMember } = workload.bundles;
  try {
    return [
      ...(await rowsOf("Get Message", { ...getMessage, peer: getMessage["postal-mime"] }, () =>
        read(workload, "50 KiB"),
      )),
      ...(await rowsOf("Add Account Member", { ...addAccountMember, peer: addAccountMember.powertools }, () =>
        addAccountMemberEvent(workload.caller),
      )),
    ];
  } finally {
    engine.stop();
  }
};

export const measureBundles = async ({
  bundles: { getMessage, addAccountMember },
}: Workload): Promise<Row[]> => {
  const size = async (file: string) => exactly(await kibibytes(file));
  return [
    row(
      "Get Message, bundle (KiB)",
      {
        ours: await size(getMessage.ours),
        floor: await size(getMessage.floor),
        peer: await size(getMessage["postal-mime"]),
      },
      { atMost: 0.85, of: "floor" },
    ),
    row(
      "Add Account Member, bundle (KiB)",
      {
        ours: await size(addAccountMember.ours),
        floor: await size(addAccountMember.floor),
        peer: await size(addAccountMember.powertools),
      },
      { atMost: 0.85, of: "floor" },
    ),
  ];
};
