/** What of Node.js a bundled function loads: each part that it does not need is time in every cold start. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundle, bundleFile } from "../../../infra/bundling.ts";
import { addAccountMember } from "../../../lib/api/operations.ts";
import { addAccountMemberEvent } from "../../bench/events.ts";
import { run } from "../../harness/process.ts";

test("A function that calls DynamoDB over TLS loads no Web Crypto, web streams, fetch or files for it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  bundle(addAccountMember.file, folder);
  const event = JSON.stringify(addAccountMemberEvent({ account_id: crypto.randomUUID(), secret: "emk_any" }));
  const script = `
    require("${join(folder, bundleFile)}").handler(${event}, {}).then(({ statusCode }) => {
      const loaded = process.moduleLoadList.filter((name) => /webcrypto|webstreams|undici|fs.promises|e tls$/.test(name));
      console.log(JSON.stringify({ statusCode, loaded }));
    })`;

  const { stdout } = await run(`node -e '${script}'`, {
    variables: {
      TABLE_NAME: "any",
      AWS_ENDPOINT_URL_DYNAMODB: "https://127.0.0.1:1", // nothing listens there
      AWS_REGION: "local",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    },
  });

  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toEqual({
    statusCode: 503,
    loaded: ["NativeModule tls"],
  });
});
