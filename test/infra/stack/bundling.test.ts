/** The bundles in the stack's assets, loaded as Lambda loads them, with the real engine. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gateway } from "../../../infra/local/gateway.ts";
import { bundle, bundleFile, bundleHandler, entryFile } from "../../../infra/stack/bundling.ts";
import { addAccountMember, getMessage, type Operation, operations } from "../../../lib/http/operations.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { describeSizes } from "../../harness/bundle-sizes.ts";
import { listen } from "../../harness/listen.ts";
import { bearer, day, newKey, newMessage, table } from "../../harness/service.ts";
import { functionOf, synthesise } from "../../harness/synthesise.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const { template, directory } = synthesise();

const folderOf = (operation: Operation) =>
  join(directory, `asset.${functionOf(template, operation).Properties.Code.S3Key.replace(".zip", "")}`);

/** Serves the bundle of an operation until the test ends. Returns the URL. */
const serve = async (operation: Operation): Promise<string> => {
  const [, name = ""] = bundleHandler.split(".");
  const handler = (await import(join(folderOf(operation), entryFile)))[name];
  return `http://127.0.0.1:${await listen(gateway([{ operation, handler }]))}`;
};

test("The bundle of Get Message streams a stored email with the compression that the caller accepts", async () => {
  const { secret, account_id } = await newKey();
  const message = newMessage({ account_id, retain_until: new Date(Date.now() + day) });
  const raw = "Subject: Hello\r\nContent-Type: text/plain\r\n\r\nHello, bundle\r\n";
  await storeMessage(table, message, Buffer.from(raw), Date.now());
  const url = await serve(getMessage);

  const response = await fetch(`${url}/v2/accounts/${account_id}/messages/${message.id}`, {
    headers: { ...bearer(secret), "Accept-Encoding": "br" },
  });

  expect(response.status).toBe(200);
  expect(response.headers.get("content-encoding")).toBe("br");
  expect(await response.json()).toMatchObject({ id: message.id, content: raw });
});

test("The bundle of Add Account Member adds a member once, and replays its response", async () => {
  const { secret, account_id } = await newKey();
  const url = await serve(addAccountMember);
  const add = () =>
    fetch(`${url}/v2/accounts/${account_id}/members`, {
      method: "POST",
      headers: { ...bearer(secret), "Content-Type": "application/json", "Idempotency-Key": "bundle" },
      body: JSON.stringify({ email: "ada@example.com", role: "Developer" }),
    });

  const first = await add();
  const second = await add();

  expect([first.status, second.status]).toEqual([201, 201]);
  expect(await second.text()).toBe(await first.text());
});

describe.each(operations)("The bundle of $id", (operation) => {
  const folder = folderOf(operation);
  const code = readFileSync(join(folder, bundleFile), "utf8");
  const map = JSON.parse(readFileSync(join(folder, `${bundleFile}.map`), "utf8"));

  test("is a module for Lambda, a CommonJS bundle, and its source map without sources", () => {
    expect(readdirSync(folder).sort()).toEqual([bundleFile, `${bundleFile}.map`, entryFile]);
    expect(map.sources).toContain(operation.file);
    expect(map.sourcesContent).toBeUndefined();
  });

  test("has the same bytes wherever it is built, so an unchanged function is not deployed again", () => {
    const elsewhere = temporaryFolder();

    bundle(operation.file, elsewhere);

    expect(readFileSync(join(elsewhere, bundleFile), "utf8")).toBe(code);
    expect(JSON.parse(readFileSync(join(elsewhere, `${bundleFile}.map`), "utf8"))).toEqual(map);
  });

  test("imports only modules of Node.js", () => {
    const imported = [...code.matchAll(/\b(?:require|import)\("([\w:@/.-]+)"\)/g)].map(([, name = ""]) => name);

    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !isBuiltin(name))).toEqual([]);
  });

  test.each([
    ["no MIME parser", /iconv-lite|^(?:.*\/)?lib\/email\//],
    ["no OpenAPI document", /openapi/],
    ["only the mini part of zod", /zod\/v4\/(classic|locales)/],
    ["no look-up of settings outside the environment", /credential-provider-(?!env)|nested-clients|shared-ini-file/],
    ["no unused feature of the SDK", /endpoint-cache|event-streams/],
  ])("contains %s", (_, unwanted) => {
    expect(map.sources.filter((source: string) => unwanted.test(source))).toEqual([]);
  });

  test("has less than 290 KB, because a large bundle slows down a cold start", () => {
    const report = describeSizes(operation.id, bundle(operation.file, temporaryFolder()));

    expect(statSync(join(folder, bundleFile)).size, report).toBeLessThan(290_000);
  });
});

test("A bundle that is too large names its five largest packages, and what grew since its size was recorded", () => {
  const modules = {
    "node_modules/@smithy/core/a.js": 60_000,
    "node_modules/@smithy/core/b.js": 9_000,
    "lib/a.ts": 500,
  };

  expect(describeSizes("GetMessage", modules)).toMatch(
    /^largest: @smithy\/core 69 KB \([+-]\d+\), lib 1 KB \([+-]\d+\)\n/,
  );
  expect(describeSizes("GetMessage", modules)).toMatch(/\nchanged: .*@aws-sdk\/core -\d+/);
});
