/** The check of `tableName`, on the real engine. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, inject, test, vi } from "vitest";
import { createTable } from "../../../infra/local/create-table.ts";
import { indexSchema, keyAttributes } from "../../../infra/person/index-schema.ts";
import { checkExistingTable } from "../../../infra/stack/existing-table.ts";
import { runApp } from "../../harness/cloudformation.ts";
import { listen } from "../../harness/listen.ts";

const check = (name: string) => checkExistingTable(name, "eu-west-1");

const bareTable = async (hash: string, range: string, index = false): Promise<string> => {
  const TableName = `existing-${randomUUID()}`;
  await new DynamoDBClient().send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [
        { AttributeName: hash, KeyType: "HASH" },
        { AttributeName: range, KeyType: "RANGE" },
      ],
      AttributeDefinitions: index
        ? keyAttributes
        : [hash, range].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      ...(index && { GlobalSecondaryIndexes: [indexSchema] }),
    }),
  );
  return TableName;
};

test("A table with the right keys and time to live is accepted", async () => {
  const name = `existing-${randomUUID()}`;
  await createTable(name);

  await expect(check(name)).resolves.toBeUndefined();
});

test("A table with other keys is rejected", async () => {
  await expect(check(await bareTable("id", "sort"))).rejects.toThrow(/are id and sort, not pk and sk$/);
});

test.each([
  ["the index of persons", false, /the index person: run .* npm run admin -- prepare-table first$/],
  ["time to live", true, /time to live on expires_at: run .* npm run admin -- prepare-table first$/],
])(
  "A restored table without %s is rejected, and the error names the command that mends it",
  async (_, index, error) => {
    await expect(check(await bareTable("pk", "sk", index))).rejects.toThrow(error);
  },
);

/** Creates the table, and lets the next two calls return it with this time to live, or fail with this error. */
const tableWith = async (change: object, timeToLive: object | Error): Promise<string> => {
  const TableName = `existing-${randomUUID()}`;
  await createTable(TableName);
  const { Table } = await new DynamoDBClient().send(new DescribeTableCommand({ TableName }));
  const send = vi.spyOn(DynamoDBClient.prototype, "send");
  send.mockResolvedValueOnce({ Table: { ...Table, ...change } } as never);
  if (timeToLive instanceof Error) send.mockRejectedValueOnce(timeToLive as never);
  else send.mockResolvedValueOnce({ TimeToLiveDescription: timeToLive } as never);
  return TableName;
};

test.each([
  ["accepted while it is being enabled, as after prepare-table", "ENABLING", "expires_at", /^undefined$/],
  ["rejected while it is being disabled", "DISABLING", "expires_at", /time to live on expires_at/],
  ["rejected if another attribute has the time", "ENABLED", "ttl", /time to live on expires_at/],
])("A table with time to live is %s", async (_, TimeToLiveStatus, AttributeName, outcome) => {
  const name = await tableWith({}, { TimeToLiveStatus, AttributeName });

  expect(String(await check(name).catch(String))).toMatch(outcome);
});

test.each([
  ["the index of persons with other keys", [{ IndexName: "person", KeySchema: [{ AttributeName: "pk" }] }]],
  ["an index of another name", [{ ...indexSchema, IndexName: "people" }]],
])("A table with %s is rejected", async (_, GlobalSecondaryIndexes) => {
  const name = await tableWith({ GlobalSecondaryIndexes }, {});

  await expect(check(name)).rejects.toThrow(/the index person: run /);
});

test("A table with the index of persons beside others is accepted", async () => {
  const name = await tableWith(
    { GlobalSecondaryIndexes: [{ ...indexSchema, IndexName: "people", KeySchema: [] }, indexSchema] },
    { TimeToLiveStatus: "ENABLED", AttributeName: "expires_at" },
  );

  await expect(check(name)).resolves.toBeUndefined();
});

test("Credentials that may not describe the time to live deploy the table, and a line says so", async () => {
  const denied = Object.assign(new Error("Not authorized"), { name: "AccessDeniedException", $fault: "client" });
  const name = await tableWith({}, denied);
  const lines = vi.spyOn(console, "error").mockImplementation(() => {});

  await expect(check(name)).resolves.toBeUndefined();
  expect(lines.mock.calls).toEqual([["tableName was not checked. DynamoDB reported an error: Not authorized"]]);
});

test("Credentials that may not describe the table deploy it, and a line says that it wasn't checked", async () => {
  const body = JSON.stringify({ __type: "com.amazonaws#AccessDeniedException", message: "Not authorized" });
  const signatures: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    signatures.push(headers.authorization);
    response.writeHead(400).end(body);
  });
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${await listen(server)}`);
  const lines = vi.spyOn(console, "error").mockImplementation(() => {});

  await expect(check("EmailApi-prod-restored")).resolves.toBeUndefined();
  expect(lines.mock.calls).toEqual([["tableName was not checked. DynamoDB reported an error: Not authorized"]]);
  expect(signatures).toEqual([expect.stringContaining("/eu-west-1/dynamodb/")]);
});

test("A mistyped tableName ends a deployment with one line, before anything changes", async () => {
  const outcome = await runApp({}, { tableName: "no-such-table" }, inject("engine"));

  expect(outcome).toMatchObject({
    status: 1,
    stderr: "tableName must be an existing table: there is none named no-such-table in eu-west-1\n",
  });
});
