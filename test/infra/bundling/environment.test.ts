/** Where a bundled function takes its credentials and its settings from, in a process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { bundle, bundleFile } from "../../../infra/bundling.ts";
import { addAccountMember } from "../../../lib/api/operations.ts";
import { addAccountMemberEvent } from "../../bench/events.ts";
import { run } from "../../harness/process.ts";

const folder = mkdtempSync(join(tmpdir(), "email-api-"));
afterAll(() => rmSync(folder, { recursive: true }));
bundle(addAccountMember.file, folder);

const caller = { account_id: crypto.randomUUID(), secret: "emk_any" };

/** An engine that refuses every call, and keeps what it was asked with. */
const startEngine = async () => {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    response.writeHead(400, { "Content-Type": "application/x-amz-json-1.0" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** One invocation in a fresh process that has these variables and no others. */
const invoke = (variables: Record<string, string>) => {
  const event = JSON.stringify(addAccountMemberEvent(caller));
  const script = `require("${join(folder, bundleFile)}").handler(${event}, {})`;
  return run(`node -e '${script}'`, { variables: { TABLE_NAME: "any", ...variables } });
};

test("A function signs with the credentials that Lambda puts into its environment, session token included", async () => {
  const { asked, endpoint } = await startEngine();

  await invoke({
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "session",
  });

  expect(asked.length).toBeGreaterThan(0);
  expect(asked[0]?.authorization).toMatch(/Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\//);
  expect(asked[0]?.["x-amz-security-token"]).toBe("session");
});

test("A function without credentials in its environment says so in its log, whatever a file of the AWS CLI holds", async () => {
  const { asked, endpoint } = await startEngine();
  const file = join(folder, "credentials");
  writeFileSync(file, "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n");

  const { stderr } = await invoke({
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: "eu-central-1",
    AWS_SHARED_CREDENTIALS_FILE: file,
  });

  expect(stderr).toContain("Unable to find environment variable credentials");
  expect(stderr).toContain('"status":500');
  expect(asked).toEqual([]);
});
