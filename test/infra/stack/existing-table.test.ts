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

test.each([
  ["accepted while it is being enabled, as after prepare-table", "ENABLING", /^undefined$/],
  ["rejected while it is being disabled", "DISABLING", /time to live on expires_at/],
])("A table with time to live is %s", async (_, TimeToLiveStatus, outcome) => {
  const TableName = `existing-${randomUUID()}`;
  await createTable(TableName);
  const found = await new DynamoDBClient().send(new DescribeTableCommand({ TableName }));
  vi.spyOn(DynamoDBClient.prototype, "send")
    .mockResolvedValueOnce(found as never)
    .mockResolvedValueOnce({ TimeToLiveDescription: { TimeToLiveStatus, AttributeName: "expires_at" } } as never);

  expect(String(await check(TableName).catch(String))).toMatch(outcome);
});

test("Credentials that may not describe the table deploy it, and a line says that it wasn't checked", async () => {
  const body = JSON.stringify({ __type: "com.amazonaws#AccessDeniedException", message: "Not authorized" });
  const server = createServer((_, response) => void response.writeHead(400).end(body));
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${await listen(server)}`);
  const lines = vi.spyOn(console, "error").mockImplementation(() => {});

  await expect(check("EmailApi-prod-restored")).resolves.toBeUndefined();
  expect(lines.mock.calls).toEqual([["tableName was not checked. DynamoDB reported an error: Not authorized"]]);
});

test("A mistyped tableName ends a deployment with one line, before anything changes", async () => {
  const outcome = await runApp({}, { tableName: "no-such-table" }, inject("engine"));

  expect(outcome).toMatchObject({
    status: 1,
    stderr: "tableName must be an existing table: there is none named no-such-table in eu-west-1\n",
  });
});
