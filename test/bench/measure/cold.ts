/** Cold starts: in a fresh process, from loading the bundle to the last byte of the first response. */
import type { APIGatewayProxyEvent } from "aws-lambda";
import { kibibytes } from "../bundles.ts";
import { addAccountMemberEvent } from "../events.ts";
import { exactly, figure } from "../figure.ts";
import { startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import { read, type Workload } from "./workload.ts";

/** Milliseconds, without what Node.js itself takes to start. */
const coldStart = async (bundle: string, event: APIGatewayProxyEvent): Promise<number> => {
  const started = await startFunction(bundle);
  const { load, invocations } = await started.run({ events: [event] });
  await started.stop();
  return load + (invocations[0]?.last ?? Number.NaN);
};

export const measureColdStarts = async (workload: Workload, rounds: number): Promise<Row[]> => {
  const { getMessage, addAccountMember } = workload.bundles;
  const get = await inRounds(rounds, ["ours", "floor", "postal-mime"], (variant) =>
    coldStart(getMessage[variant], read(workload, "50 KiB")),
  );
  const add = await inRounds(rounds, ["ours", "floor", "powertools"], (variant) =>
    coldStart(addAccountMember[variant], addAccountMemberEvent(workload.caller)),
  );
  return [
    row(
      "Get Message, cold start to first response (ms)",
      { ours: figure(get.ours), floor: figure(get.floor), peer: figure(get["postal-mime"]) },
      { atMost: 1.2, of: "floor" },
    ),
    row(
      "Add Account Member, cold start to first response (ms)",
      { ours: figure(add.ours), floor: figure(add.floor), peer: figure(add.powertools) },
      { atMost: 1.2, of: "floor" },
    ),
  ];
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
      { atMost: 1.25, of: "floor" },
    ),
    row(
      "Add Account Member, bundle (KiB)",
      {
        ours: await size(addAccountMember.ours),
        floor: await size(addAccountMember.floor),
        peer: await size(addAccountMember.powertools),
      },
      { atMost: 1.25, of: "floor" },
    ),
  ];
};
