/**
 * `prepare-table` turns on what AWS leaves off after a restore: TTL, point-in-time recovery and deletion protection.
 * With `--from`, it also repeats revocations and deletions.
 */
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
import { UserError } from "../cli/user-error.ts";
import { carryOverFrom } from "./carry-over.ts";
import { defineCommand, openTableOf, report, type Shell } from "./command.ts";
import { describeTable, scanPrice } from "./scan.ts";

type State = "enabled" | "enabled already" | "not supported";

/** If we enabled time to live on another program's table, its items could expire. */
const checkKeys = async (table: Table): Promise<void> => {
  const { KeySchema } = await describeTable(table);
  const keys = KeySchema?.map(({ AttributeName }) => AttributeName).join(" and ");
  const ours = `${layout.partitionKey} and ${layout.sortKey}`;
  if (keys === ours) return;
  throw new UserError(`${table.name} is no table of this API: its keys are ${keys}, not ${ours}`);
};

/** Without time to live, expired items stay in the table and cost money, although callers can't see them. */
const timeToLive = async ({ client, name: TableName }: Table): Promise<State> => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { TimeToLiveStatus = "", AttributeName } = TimeToLiveDescription ?? {};
  if (["ENABLED", "ENABLING"].includes(TimeToLiveStatus)) {
    if (AttributeName === layout.timeToLive) return "enabled already";
    throw new UserError(`${TableName} has its time to live on ${AttributeName}, not on ${layout.timeToLive}`);
  }
  const TimeToLiveSpecification = { AttributeName: layout.timeToLive, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  return "enabled";
};

const recovery = async ({ client, name: TableName }: Table): Promise<State> => {
  const found = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  const { PointInTimeRecoveryDescription } = found.ContinuousBackupsDescription ?? {};
  if (PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED") return "enabled already";
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  return "enabled";
};

const deletionProtection = async ({ client, name: TableName }: Table): Promise<State> => {
  const { Table: found } = await client.send(new DescribeTableCommand({ TableName }));
  if (found?.DeletionProtectionEnabled) return "enabled already";
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
  return "enabled";
};

const steps = new Map([
  ["time to live", timeToLive],
  ["point-in-time recovery", recovery],
  ["deletion protection", deletionProtection],
]);

/** The embedded DynamoDB has no point-in-time recovery. */
const notSupported = (error: Error): State => {
  if (error.name === "UnknownOperationException") return "not supported";
  throw error;
};

const explanation = `
Enables time to live, point-in-time recovery and deletion protection.

With --from, it then takes from the restored table what was taken from the old one since the restore point: keys that
were revoked, that expire earlier or are gone, members and users who were removed, messages and contents that were
deleted. It never adds a right or data. You can interrupt it and run it again, also while the restored table is in use:
what was created there stays. It reads both tables once (${scanPrice}, for each of them).`;

export const prepareTable = (shell: Shell) =>
  defineCommand("prepare-table", "get a restored table ready to be served")
    .option("--from <table>", "the table that was restored; carries over what was revoked or deleted since")
    .addHelpText("after", explanation)
    .action(async ({ from, local, json }) => {
      const table = openTableOf({ local });
      await checkKeys(table);
      const carryOver = from === undefined ? undefined : await carryOverFrom(shell, json, table, from);
      for (const [setting, enable] of steps) {
        const state = await enable(table).catch(notSupported);
        report(shell, json, { table: table.name, setting, state }, `${state.padEnd(15)}  ${setting}`);
      }
      for (const [kind, count] of (await carryOver?.()) ?? []) {
        report(shell, json, { table: table.name, from, kind, count }, `${String(count).padStart(15)}  ${kind}`);
      }
    });
