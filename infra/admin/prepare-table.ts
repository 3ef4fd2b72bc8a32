/**
 * `prepare-table` turns on what AWS leaves off after a restore: TTL, point-in-time recovery and deletion protection.
 * With `--from`, it also repeats revocations and deletions.
 */

import { setTimeout as sleep } from "node:timers/promises";
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { headSort, layout, personIndex } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../cli/user-error.ts";
import { indexSchema, keyAttributes } from "../person/index-schema.ts";
import { carryOverFrom } from "./carry-over.ts";
import { defineCommand, openTableOf, report, type Shell } from "./command.ts";
import type { OnlyInOld } from "./only-in-old.ts";
import { describeTable, scanPrice } from "./scan.ts";

type State = "enabled" | "enabled already" | "being created" | "not supported";

/** If we enabled time to live on another program's table, its items could expire. */
const checkKeys = async (table: Table): Promise<void> => {
  const { KeySchema } = await describeTable(table);
  const keys = KeySchema?.map(({ AttributeName }) => AttributeName).join(" and ");
  const ours = `${layout.partitionKey} and ${layout.sortKey}`;
  if (keys === ours) return;
  throw new UserError(`${table.name} is no table of this API: its keys are ${keys}, not ${ours}`);
};

/** Before version 1.0.0, a head contained its delivery attempts, and no item was in the index. Nobody's data are like that. */
const checkLayout = async ({ client, name: TableName }: Table): Promise<void> => {
  const { Items = [] } = await client.send(
    new ScanCommand({
      TableName,
      FilterExpression: "sk = :head AND attribute_exists(delivery_attempts)",
      ExpressionAttributeValues: { ":head": headSort },
      ProjectionExpression: "pk",
    }),
  );
  if (Items.length === 0) return;
  throw new UserError(`${TableName} has items of a version before 1.0.0, which this version can't read`);
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

/** AWS makes one change of a table at a time, and deletion protection is one, so the index comes last. */
const indexOfPersons = async ({ client, name: TableName }: Table): Promise<State> => {
  const describe = async () => (await client.send(new DescribeTableCommand({ TableName }))).Table ?? {};
  const indexOf = ({ GlobalSecondaryIndexes = [] }: TableDescription) =>
    GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === personIndex.name);
  let found = await describe();
  for (let tries = 0; found.TableStatus === "UPDATING" && !indexOf(found) && tries < mostTries; tries++) {
    await sleep(2000);
    found = await describe();
  }
  const index = indexOf(found);
  if (index) return index.IndexStatus === "CREATING" ? "being created" : "enabled already";
  await client.send(
    new UpdateTableCommand({
      TableName,
      AttributeDefinitions: keyAttributes,
      GlobalSecondaryIndexUpdates: [{ Create: indexSchema }],
    }),
  );
  return "being created";
};

/** A table changes within seconds, unless AWS is filling an index of it. */
const mostTries = 60;

const steps = new Map([
  ["time to live", timeToLive],
  ["point-in-time recovery", recovery],
  ["deletion protection", deletionProtection],
  ["index of persons", indexOfPersons],
]);

/** The embedded DynamoDB has no point-in-time recovery. */
const notSupported = (error: Error): State => {
  if (error.name === "UnknownOperationException") return "not supported";
  throw error;
};

/** Users come before members, because a membership is of no use without its user. */
const reportOnlyInOld = async (
  shell: Shell,
  json: true | undefined,
  from: string,
  only: OnlyInOld[],
  isCopying: boolean,
): Promise<void> => {
  const outcomes = new Map<string, number>();
  const order = ["user", "member", "key", "message", "message that differs"];
  for (const { kind, fields, text, copy } of only.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))) {
    const isCopied = isCopying && copy !== undefined && (await copy());
    const outcome = isCopied ? "copied" : isCopying ? "not copied" : `only in ${from}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    report(shell, json, { kind, ...fields, copied: isCopied }, `${copy ? outcome : "kept"}   ${kind}   ${text}`);
  }
  if (json) return;
  for (const [outcome, count] of outcomes) {
    const hint = isCopying ? "" : ". --copy copies what is missing here";
    shell.print(`${String(count).padStart(15)}  ${outcome}${hint}`);
  }
};

const explanation = `
Enables time to live, point-in-time recovery and deletion protection, and adds the index of persons if it is missing; AWS fills
it in the background, and "enabled already" says when it is full.

With --from, it then takes from the restored table what was taken from the old one since the restore point: keys that
were revoked, that expire earlier or are gone, members and users who were removed, messages and contents that were
deleted. It never adds a right or data. You can interrupt it and run it again, also while the restored table is in use:
what was created there stays.

It also lists what only the old table has: keys, users, members and messages that it got since. --copy copies them; leave
it out if the old table got what it must not have. Events that the old table recorded for older messages are named, not copied.
It reads both tables once (${scanPrice}, for each of them), and for 0.5 units looks for each of the old table's messages and people.`;

export const prepareTable = (shell: Shell) =>
  defineCommand("prepare-table", "get a restored table ready to be served")
    .option("--from <table>", "the table that was restored; carries over what was revoked or deleted since")
    .option("--copy", "with --from: also copy what only the old table has")
    .addHelpText("after", explanation)
    .action(async ({ from, copy, local, json }) => {
      if (copy && from === undefined) throw new UserError("--copy requires --from", 2);
      const table = openTableOf({ local });
      await checkKeys(table);
      await checkLayout(table);
      const carryOver = from === undefined ? undefined : await carryOverFrom(shell, json, table, from);
      for (const [setting, enable] of steps) {
        const state = await enable(table).catch(notSupported);
        report(shell, json, { table: table.name, setting, state }, `${state.padEnd(15)}  ${setting}`);
      }
      if (from === undefined || !carryOver) return;
      const { counts, only } = await carryOver();
      for (const [kind, count] of counts) {
        report(shell, json, { table: table.name, from, kind, count }, `${String(count).padStart(15)}  ${kind}`);
      }
      await reportOnlyInOld(shell, json, from, only, copy ?? false);
    });
