/** The commands as a user starts them: a process of its own, with an environment of its own. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { localEnvironment } from "../../../infra/local-environment.ts";
import { run } from "../../harness/process.ts";
import { table } from "../../harness/service.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const createKey = "node infra/admin/main.ts create-api-key";

test.each([
  ["no table", {}, "", 2, "Set TABLE_NAME to the name of the deployed table, or pass --local"],
  ["no region", { TABLE_NAME: "x" }, "", 1, "Set AWS_REGION to the table's region, or pass --local"],
  [
    "no credentials",
    { TABLE_NAME: "x", AWS_REGION: "eu-west-1", AWS_EC2_METADATA_DISABLED: "true", HOME: "/nonexistent" },
    "",
    1,
    'No AWS credentials were found. Run "aws configure", set AWS_PROFILE, or pass --local',
  ],
  [
    "a port that is none",
    { DYNAMODB_PORT: "abc" },
    "--local",
    2,
    "DYNAMODB_PORT takes a port from 1 to 65535, not abc",
  ],
  [
    "an engine that does not run",
    { DYNAMODB_PORT: "1" },
    "--local",
    1,
    'No DynamoDB responds at http://127.0.0.1:1. Check that "npm start" or another DynamoDB runs there',
  ],
  [
    "an endpoint that is no URL",
    { ...localEnvironment(1), AWS_ENDPOINT_URL_DYNAMODB: "abc" },
    "",
    1,
    "AWS_ENDPOINT_URL_DYNAMODB takes a URL such as http://127.0.0.1:8000, not abc",
  ],
])(
  "With %s, one line says what to do",
  async (_, variables: Record<string, string>, options, status, line) => {
    expect(await run(`${createKey} ${options}`, { variables })).toEqual({
      status,
      stdout: "",
      stderr: `${line}\n`,
    });
  },
);

test("A key comes out on standard output, and goes in on standard input", async () => {
  const variables = { ...inject("engine"), TABLE_NAME: table.name };

  const both = `${createKey} --json | node infra/admin/main.ts revoke-api-key -`;

  const { status, stdout, stderr } = await run(both, { variables });

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^revoked {3}[\da-f]{64}\n$/);
});

test("A reader that closes the pipe early ends the command without an error", async () => {
  const variables = { ...inject("engine"), TABLE_NAME: table.name };
  const folder = temporaryFolder();
  for (let number = 0; number < 40; number++) {
    writeFileSync(join(folder, `${number}.eml`), `From: a@example.com\nTo: b@example.org\n\n${number}`);
  }
  const id = randomUUID();
  const importing = `node infra/admin/main.ts import-message --account ${id} --domain ${id} ${folder}`;

  const { status, stderr } = await run(`${importing} | true`, { variables });

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
