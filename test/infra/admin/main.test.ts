/** The commands with the environment of a new user, and as a process in a pipe. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, inject, test, vi } from "vitest";
import { localEnvironment } from "../../../infra/cli/local-environment.ts";
import { admin } from "../../harness/admin.ts";
import { interceptAll } from "../../harness/intercepted-table.ts";
import { run } from "../../harness/process.ts";
import { table } from "../../harness/service.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const aws = { TABLE_NAME: "x", AWS_EC2_METADATA_DISABLED: "true", HOME: "/nonexistent" };
const unset = Object.fromEntries(Object.keys(localEnvironment(1)).map((name) => [name, undefined]));

const noCredentials = 'No AWS credentials were found. Run "aws configure", set AWS_PROFILE, or pass --local';
const noEngine = 'No DynamoDB responds at http://127.0.0.1:1. Check that "npm start" or another DynamoDB runs there';
const badEndpoint = "AWS_ENDPOINT_URL_DYNAMODB takes a URL such as http://127.0.0.1:8000, not abc";

test.each<[string, Record<string, string>, string, number, string]>([
  ["no table", {}, "", 2, "Set TABLE_NAME to the name of the deployed table, or pass --local"],
  ["no region", aws, "", 1, "Set AWS_REGION to the table's region, or pass --local"],
  ["no credentials", { ...aws, AWS_REGION: "eu-west-1" }, "", 1, noCredentials],
  ["a bad port", { DYNAMODB_PORT: "x" }, "--local", 2, "DYNAMODB_PORT takes a port from 1 to 65535, not x"],
  ["port 0", { DYNAMODB_PORT: "0" }, "--local", 2, "DYNAMODB_PORT takes a port from 1 to 65535, not 0"],
  ["port 65536", { DYNAMODB_PORT: "65536" }, "--local", 2, "DYNAMODB_PORT takes a port from 1 to 65535, not 65536"],
  ["no engine", { DYNAMODB_PORT: "1" }, "--local", 1, noEngine],
  ["a bad endpoint", { ...localEnvironment(1), AWS_ENDPOINT_URL_DYNAMODB: "abc" }, "", 1, badEndpoint],
])("With %s, one line describes the fix", async (_, variables, options, status, line) => {
  for (const [name, value] of Object.entries({ ...unset, ...variables })) vi.stubEnv(name, value);

  expect(await admin(`create-api-key --scope * ${options}`)).toMatchObject({ status, stdout: [], stderr: [line] });
});

test("With --local and an endpoint of one's own, the table there is that of npm start, unless another is named", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9999");
  const used: unknown[] = [];
  interceptAll(({ input }) => {
    used.push(`${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${input.TableName}`);
    throw new Error("stop");
  });

  for (const name of [undefined, "other"]) {
    vi.stubEnv("TABLE_NAME", name);
    await admin("list-senders --local");
  }

  expect(used).toEqual(["http://127.0.0.1:9999 email-api", "http://127.0.0.1:9999 other"]);
});

test.each([
  ["list-senders", "QueryCommand"],
  ["find-messages ada@example.com", "QueryCommand"],
  ["erase-person ada@example.com --scan", "ScanCommand"],
])("%s waits while the table is throttled", async (command, call) => {
  let calls = 0;
  interceptAll(({ constructor: { name } }, proceed) => {
    if (name !== call || calls++ > 0) return proceed();
    throw Object.assign(new Error("Too many requests"), { name: "ThrottlingException", $fault: "client" });
  });

  expect(await admin(command)).toMatchObject({ status: 0, stderr: [] });
  expect(calls).toBeGreaterThan(1);
});

test.each([
  ...["EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENOTFOUND", "ETIMEDOUT"].map((code) => ({ code })),
  { name: "TimeoutError" },
])("If the network fails with %j, the line names the network and the region", async (fields) => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", undefined);
  interceptAll(() => {
    throw Object.assign(new Error("failed"), fields);
  });

  const line = "DynamoDB does not respond. Check the network and AWS_REGION";
  expect(await admin("list-senders")).toMatchObject({ status: 1, stdout: [], stderr: [line] });
});

test.skipIf(!existsSync("/dev/full"))("A key that does not fit onto a full disk is not created", async () => {
  const variables = { ...inject("engine"), TABLE_NAME: table.name };
  const account = randomUUID();
  const command = `node infra/admin/main.ts create-api-key --scope "*" --account ${account}`;

  const { status, stderr } = await run(`${command} > /dev/full`, { variables });

  expect(status).toBe(1);
  expect(stderr).toMatch(/^Standard output could not be written: no space left on device$/m);
  expect(stderr).toMatch(/^[\da-f]{64}: the new key could not be printed, so it was not created/m);
  expect((await admin(`list-api-keys --account ${account}`)).stdout).toEqual([]);
});

test.skipIf(!existsSync("/dev/full"))("A command whose output does not fit onto a full disk fails", async () => {
  const { status, stderr } = await run("node infra/admin/main.ts --help > /dev/full");

  const line = "Standard output could not be written: no space left on device\n";
  expect({ status, stderr }).toEqual({ status: 1, stderr: line });
});

test("An error that the next operands would meet, too, ends the command with one line", async () => {
  vi.spyOn(DynamoDBDocumentClient.prototype, "send")
    .mockImplementationOnce(async () => ({}))
    .mockRejectedValue(
      Object.assign(new Error("The security token included in the request is expired"), {
        name: "ExpiredTokenException",
        $fault: "client",
      }),
    );
  const ids = Array.from({ length: 22 }, () => randomUUID());

  const ran = await admin(`delete-message x ${ids.join(" ")} --account ${randomUUID()}`);

  const line = `${ids[0]} (2 of 23): Your AWS credentials have expired. Sign in again, and run the command again`;
  expect(ran).toMatchObject({ status: 2, stdout: [], stderr: ["x: a message's id is a UUID", line] });
});

test("A reader that closes the pipe early ends the command as SIGPIPE would, without an error", async () => {
  const variables = { ...inject("engine"), TABLE_NAME: table.name };
  const email = "From: a@example.com\nTo: b@example.org\n\n";
  const emails = Array.from({ length: 40 }, (_, number) => [`${number}.eml`, `${email}${number}`]);
  const id = randomUUID();
  const options = `--account ${id} --domain ${id} ${folderOf(Object.fromEntries(emails))}`;

  const command = `node infra/admin/main.ts import-message ${options}`;
  const piped = await run(`{ ${command}; echo "exit $?" >&2; } | true`, { variables });

  expect(piped).toEqual({ status: 0, stdout: "", stderr: "exit 141\n" });
});
