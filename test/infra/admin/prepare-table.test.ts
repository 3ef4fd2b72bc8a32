/** `prepare-table` on the real engine, and on a mock for backups, which the engine does not have. */
import { randomUUID } from "node:crypto";
import {
  CreateTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { newMessage, table } from "../../harness/service.ts";

const client = new DynamoDBClient();

const keySchema = (HASH: string, RANGE: string) => [
  { AttributeName: HASH, KeyType: "HASH" as const },
  { AttributeName: RANGE, KeyType: "RANGE" as const },
];

/** Creates a table with no feature enabled, as AWS restores it. */
const restoredTable = async (...keys: [string, string]): Promise<string> => {
  const TableName = `restored-${randomUUID()}`;
  vi.stubEnv("TABLE_NAME", TableName);
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: keySchema(...keys),
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    }),
  );
  return TableName;
};

test("prepare-table enables what AWS leaves disabled, once", async () => {
  const TableName = await restoredTable("pk", "sk");

  const first = await admin("prepare-table");
  const again = await adminJson("prepare-table");

  expect(first).toMatchObject({
    status: 0,
    stdout: [
      "enabled          time to live",
      "not supported    point-in-time recovery",
      "enabled          deletion protection",
      "being created    index of persons",
    ],
  });
  expect(again).toEqual([
    { table: TableName, setting: "time to live", state: "enabled already" },
    { table: TableName, setting: "point-in-time recovery", state: "not supported" },
    { table: TableName, setting: "deletion protection", state: "enabled already" },
    { table: TableName, setting: "index of persons", state: "enabled already" },
  ]);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(TimeToLiveDescription).toMatchObject({ AttributeName: "expires_at", TimeToLiveStatus: "ENABLED" });
  expect(Table?.DeletionProtectionEnabled).toBe(true);
});

test("A table that is missing, or has other keys or another time to live, is rejected", async () => {
  const otherKeys = await restoredTable("id", "version");
  const first = await admin("prepare-table");
  const otherTtl = await restoredTable("pk", "sk");
  const TimeToLiveSpecification = { AttributeName: "ttl", Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: otherTtl, TimeToLiveSpecification }));
  const second = await admin("prepare-table");
  vi.stubEnv("TABLE_NAME", "no-such-table");
  const third = await admin("prepare-table");

  expect([first, second, third].map(({ status, stdout, stderr }) => [status, stdout, stderr])).toEqual([
    [1, [], [`${otherKeys} is no table of this API: its keys are id and version, not pk and sk`]],
    [1, [], [`${otherTtl} has its time to live on ttl, not on expires_at`]],
    [1, [], ["There is no table named no-such-table"]],
  ]);
});

test("A restored table without the index gets it, and what it held is found", async () => {
  const TableName = await restoredTable("pk", "sk");
  const message = newMessage({ account_id: randomUUID(), recipient: "ada@example.org" });
  await storeMessage({ ...table, name: TableName }, message, null, Date.now());
  const before = await admin("find-messages ada@example.org");

  await admin("prepare-table");

  expect(before.status).toBe(1);
  await expect
    .poll(async () => (await adminJson("find-messages ada@example.org")).map(({ id }) => id))
    .toEqual([message.id]);
});

test("A table of a version before 1.0.0 is rejected as a whole", async () => {
  const TableName = await restoredTable("pk", "sk");
  const head = { pk: "MESSAGE#1#2", sk: "HEAD", delivery_attempts: [] };
  await table.client.send(new PutCommand({ TableName, Item: head }));

  const { status, stdout, stderr } = await admin("prepare-table");

  const fault = `${TableName} has items of a version before 1.0.0, which this version can't read`;
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: [], stderr: [fault] });
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table?.DeletionProtectionEnabled).toBeFalsy();
});

/** Mocks AWS where it differs from the engine. */
const withBackups = (
  PointInTimeRecoveryStatus: "ENABLED" | "DISABLED",
  IndexStatus: "ACTIVE" | "CREATING" = "ACTIVE",
) => {
  const dynamodb = mockClient(DynamoDBDocumentClient);
  onTestFinished(() => dynamodb.restore());
  const Table = {
    KeySchema: keySchema("pk", "sk"),
    GlobalSecondaryIndexes: [{ IndexName: "person", IndexStatus }],
    DeletionProtectionEnabled: true,
  };
  const TimeToLiveDescription = { AttributeName: "expires_at", TimeToLiveStatus: "ENABLING" as const };
  const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus };
  const enabled = { ContinuousBackupsStatus: "ENABLED" as const };
  const ContinuousBackupsDescription = { ...enabled, PointInTimeRecoveryDescription };
  dynamodb.on(DescribeTableCommand).resolves({ Table });
  dynamodb.on(ScanCommand).resolves({ Items: [] });
  dynamodb.on(DescribeTimeToLiveCommand).resolves({ TimeToLiveDescription });
  dynamodb.on(DescribeContinuousBackupsCommand).resolves({ ContinuousBackupsDescription });
  return dynamodb;
};

test("prepare-table enables point-in-time recovery, unless AWS reports an error", async () => {
  const dynamodb = withBackups("DISABLED");
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };

  const { stdout } = await admin("prepare-table");
  const [call] = dynamodb.commandCalls(UpdateContinuousBackupsCommand);
  dynamodb.on(UpdateContinuousBackupsCommand).rejects(new Error("Backups are being enabled for the table"));
  const { status, stderr } = await admin("prepare-table");

  expect(stdout).toContain("enabled          point-in-time recovery");
  expect(call?.args[0].input).toMatchObject({ TableName: table.name, PointInTimeRecoverySpecification });
  expect({ status, stderr }).toEqual({ status: 1, stderr: ["Backups are being enabled for the table"] });
});

test.each([
  ["ACTIVE", "enabled already"],
  ["CREATING", "being created"],
] as const)("prepare-table changes nothing if everything is enabled, and the index %s", async (status, state) => {
  const dynamodb = withBackups("ENABLED", status);

  const { stdout } = await admin("prepare-table");

  const states = [...Array(3).fill("enabled already"), state];
  expect(stdout.map((line) => line.slice(0, 15).trim())).toEqual(states);
  const names = dynamodb.calls().map(({ args: [command] }) => command.constructor.name);
  expect(names.filter((name) => !/^Describe|^Scan/.test(name))).toEqual([]);
});
