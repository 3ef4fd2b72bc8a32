/** The credentials and settings of a bundled function in a new process. */
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundle, bundleFile } from "../../../../infra/stack/bundling.ts";
import { addAccountMember } from "../../../../lib/http/operations.ts";
import { addAccountMemberEvent } from "../../../bench/events.ts";
import { listen } from "../../../harness/listen.ts";
import { run } from "../../../harness/process.ts";
import { temporaryFolder } from "../../../harness/temporary-folder.ts";

const folder = temporaryFolder();
bundle(addAccountMember.file, folder);

/** Invokes the function in a new process with only these variables. Returns the headers that DynamoDB received. */
const invoke = async (variables: Record<string, string>) => {
  const received: IncomingHttpHeaders[] = [];
  const dynamodb = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(400, { "Content-Type": "application/x-amz-json-1.0" }).end("{}");
  });
  const AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${await listen(dynamodb)}`;
  const event = JSON.stringify(addAccountMemberEvent({ account_id: crypto.randomUUID(), secret: "emk_any" }));
  const script = `require("${join(folder, bundleFile)}").handler(${event}, { getRemainingTimeInMillis: () => 28_000 })`;
  const { stderr } = await run(`node -e '${script}'`, {
    variables: { TABLE_NAME: "any", AWS_REGION: "eu-central-1", AWS_ENDPOINT_URL_DYNAMODB, ...variables },
  });
  return { received, stderr };
};

test("A function signs with the credentials in its environment, including the session token", async () => {
  const { received } = await invoke({
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "session",
  });

  expect(received.length).toBeGreaterThan(0);
  expect(received[0]?.authorization).toMatch(/Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\//);
  expect(received[0]?.["x-amz-security-token"]).toBe("session");
});

test("A function without credentials in its environment logs an error, and reads no file of the AWS CLI", async () => {
  const file = join(folder, "credentials");
  writeFileSync(file, "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n");

  const { received, stderr } = await invoke({ AWS_SHARED_CREDENTIALS_FILE: file });

  expect(stderr).toContain("Unable to find environment variable credentials");
  expect(stderr).toContain('"status":500');
  expect(received).toEqual([]);
});
