/** `prepare-table`: switches on what AWS leaves off on a table that it restores. */
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { layout } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { defineCommand, openTableOf, report, type Shell } from "./command.ts";

type State = "switched on" | "on already" | "not offered";

/** A restored table has its items and its keys; one with other keys belongs to something else. */
const checkKeys = async ({ client, name }: Table): Promise<void> => {
  const { Table: found } = await client.send(new DescribeTableCommand({ TableName: name }));
  const keys = found?.KeySchema?.map(({ AttributeName }) => AttributeName).join(" and ");
  const ours = `${layout.partitionKey} and ${layout.sortKey}`;
  if (keys !== ours) throw new Error(`${name} is no table of this API: its keys are ${keys}, not ${ours}`);
};

/** Without it, what has expired is stored, and paid for, for ever. */
const timeToLive = async ({ client, name }: Table): Promise<State> => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  const { TimeToLiveStatus, AttributeName } = TimeToLiveDescription ?? {};
  const isOn = TimeToLiveStatus === "ENABLED" || TimeToLiveStatus === "ENABLING";
  if (isOn && AttributeName === layout.timeToLive) return "on already";
  if (isOn) throw new Error(`${name} has its time to live on ${AttributeName}, not on ${layout.timeToLive}`);
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: layout.timeToLive, Enabled: true },
    }),
  );
  return "switched on";
};

const recovery = async ({ client, name }: Table): Promise<State> => {
  const { ContinuousBackupsDescription } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: name }),
  );
  const { PointInTimeRecoveryDescription } = ContinuousBackupsDescription ?? {};
  if (PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED") return "on already";
  await client.send(
    new UpdateContinuousBackupsCommand({
      TableName: name,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  return "switched on";
};

const deletionProtection = async ({ client, name }: Table): Promise<State> => {
  const { Table: found } = await client.send(new DescribeTableCommand({ TableName: name }));
  if (found?.DeletionProtectionEnabled) return "on already";
  await client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: true }));
  return "switched on";
};

const steps = new Map([
  ["time to live", timeToLive],
  ["point-in-time recovery", recovery],
  ["deletion protection", deletionProtection],
]);

/** An engine on this machine has no backups. */
const notOffered = (error: Error): State => {
  if (error.name === "UnknownOperationException") return "not offered";
  throw error;
};

export const prepareTable = (shell: Shell) =>
  defineCommand("prepare-table", "switch on what AWS leaves off on a restored table")
    .addHelpText(
      "after",
      "\nTime to live, point-in-time recovery, and protection from deletion; what is on already stays as it is.",
    )
    .action(async ({ local, json }) => {
      const table = openTableOf({ local });
      await checkKeys(table);
      for (const [setting, switchOn] of steps) {
        const state = await switchOn(table).catch(notOffered);
        report(shell, json, { table: table.name, setting, state }, `${state.padEnd(12)}  ${setting}`);
      }
    });
