/** A restored table is prepared: on the real engine, but for its backups, which that does not have. */
import { randomUUID } from "node:crypto";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";

afterEach(() => vi.unstubAllEnvs());

const client = new DynamoDBClient();

/** A table as AWS restores it: its keys, its items, and nothing switched on. */
const restoredTable = async (keys: [string, string] = ["pk", "sk"]): Promise<string> => {
  const TableName = `restored-${randomUUID()}`;
  vi.stubEnv("TABLE_NAME", TableName);
  const [HASH, RANGE] = keys;
  const input: CreateTableCommandInput = {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [
      { AttributeName: HASH, KeyType: "HASH" },
      { AttributeName: RANGE, KeyType: "RANGE" },
    ],
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  };
  await client.send(new CreateTableCommand(input));
  return TableName;
};

test("What AWS leaves off is switched on, and what is on stays as it is", async () => {
  const TableName = await restoredTable();

  const first = await admin("prepare-table");
  const again = await adminJson("prepare-table");

  expect(first).toMatchObject({
    status: 0,
    stdout: [
      "enabled          time to live",
      "not supported    point-in-time recovery",
      "enabled          deletion protection",
    ],
  });
  expect(again).toEqual([
    { table: TableName, setting: "time to live", state: "enabled already" },
    { table: TableName, setting: "point-in-time recovery", state: "not supported" },
    { table: TableName, setting: "deletion protection", state: "enabled already" },
  ]);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(TimeToLiveDescription).toEqual({ AttributeName: "expires_at", TimeToLiveStatus: "ENABLED" });
  expect(Table?.DeletionProtectionEnabled).toBe(true);
});

test("A table whose keys are other ones is left alone", async () => {
  const TableName = await restoredTable(["id", "version"]);

  const { status, stdout, stderr } = await admin("prepare-table");

  expect({ status, stdout }).toEqual({ status: 1, stdout: [] });
  expect(stderr).toEqual([
    `${TableName} is no table of this API: its keys are id and version, not pk and sk`,
  ]);
});

test("A table that lets other items expire is left alone: one attribute says when, and not this one", async () => {
  const TableName = await restoredTable();
  const TimeToLiveSpecification = { AttributeName: "ttl", Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));

  const { status, stderr } = await admin("prepare-table");

  expect(status).toBe(1);
  expect(stderr).toEqual([`${TableName} has its time to live on ttl, not on expires_at`]);
});

test("A table that is not there is named", async () => {
  vi.stubEnv("TABLE_NAME", "no-such-table");

  const { status, stderr } = await admin("prepare-table");

  expect({ status, stderr }).toEqual({ status: 1, stderr: ["There is no table named no-such-table"] });
});

/** AWS, as far as it differs from the engine. */
const withBackups = (PointInTimeRecoveryStatus: "ENABLED" | "DISABLED") => {
  const dynamodb = mockClient(DynamoDBDocumentClient);
  onTestFinished(() => dynamodb.restore());
  dynamodb.on(DescribeTableCommand).resolves({
    Table: {
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      DeletionProtectionEnabled: true,
    },
  });
  dynamodb.on(DescribeTimeToLiveCommand).resolves({
    TimeToLiveDescription: { AttributeName: "expires_at", TimeToLiveStatus: "ENABLING" },
  });
  dynamodb.on(DescribeContinuousBackupsCommand).resolves({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: "ENABLED",
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus },
    },
  });
  return dynamodb;
};

test("Point-in-time recovery is switched on where it is off", async () => {
  const dynamodb = withBackups("DISABLED");

  const { stdout } = await admin("prepare-table");

  expect(stdout).toContain("enabled          point-in-time recovery");
  const [call] = dynamodb.commandCalls(UpdateContinuousBackupsCommand);
  expect(call?.args[0].input).toEqual({
    TableName: process.env.TABLE_NAME,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
});

test("Where everything is on, nothing is changed", async () => {
  const dynamodb = withBackups("ENABLED");

  const { stdout } = await admin("prepare-table");

  expect(stdout).toEqual([
    "enabled already  time to live",
    "enabled already  point-in-time recovery",
    "enabled already  deletion protection",
  ]);
  expect(
    dynamodb.calls().filter(({ args: [command] }) => !command.constructor.name.startsWith("Describe")),
  ).toEqual([]);
});

test("What AWS refuses is an error, not a state", async () => {
  const dynamodb = withBackups("DISABLED");
  const refusal = Object.assign(new Error("Backups are being enabled for the table"), {
    name: "ContinuousBackupsUnavailableException",
  });
  dynamodb.on(UpdateContinuousBackupsCommand).rejects(refusal);

  const { status, stderr } = await admin("prepare-table");

  expect({ status, stderr }).toEqual({ status: 1, stderr: ["Backups are being enabled for the table"] });
});
