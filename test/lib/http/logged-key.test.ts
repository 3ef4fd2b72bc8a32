/** Which API key the request log names: after a leak, the operator sees whether the thief still tries. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { revokeApiKey } from "../../../lib/api-keys/store.ts";
import { type CapturedOutput, captureOutput } from "../../harness/captured-output.ts";
import { startFaultyService } from "../../harness/faulty-engine.ts";
import { bearer, call, newKey, noon, startService, table } from "../../harness/service.ts";

let output: CapturedOutput;
beforeEach(() => {
  output = captureOutput();
});

/** Asks for a message that doesn't exist. Returns the response's status and the line of the request log. */
const ask = async (url: string, account_id: string, secret: string, id: string = randomUUID()) => {
  output.clear();
  const { status } = await call(`${url}/v2/accounts/${account_id}/messages/${id}`, {
    headers: bearer(secret),
  });
  const [line] = await output.requests();
  expect(line).toMatchObject({ status });
  return line;
};

const newRevokedKey = async () => {
  const key = await newKey();
  await revokeApiKey(table, key.id, noon);
  return key;
};

describe("The request log names the key and the key's own account if", () => {
  test.each([
    ["the key is revoked", newRevokedKey, {}, 401],
    ["the key has expired", () => newKey({ expires_at: noon / 1000 }), {}, 401],
    ["the key belongs to another account", newKey, { account_id: randomUUID() }, 401],
    ["the key lacks the scope", () => newKey({ scopes: [] }), {}, 403],
    ["the path is wrong", newKey, { id: "no-uuid" }, 400],
  ])("%s", async (_, makeKey, { account_id, id }: { account_id?: string; id?: string }, status) => {
    const key = await makeKey();

    const line = await ask(await startService(), account_id ?? key.account_id, key.secret, id);

    expect(line).toMatchObject({ status, key_id: key.id, account_id: key.account_id });
  });

  test("the table fails after the read of the key", async () => {
    const { engine, url, key } = await startFaultyService();
    engine.failWith((operation) => (operation === "Query" ? { error: "ThrottlingException" } : undefined));

    const line = await ask(url, key.account_id, key.secret);

    expect(line).toMatchObject({ status: 503, key_id: key.id, account_id: key.account_id });
  });
});

test("A revoked key costs the same calls as an unknown key, so that the time doesn't tell them apart", async () => {
  const { engine, url } = await startFaultyService();
  const { account_id, secret } = await newRevokedKey();

  await ask(url, account_id, secret);
  await ask(url, account_id, "emk_unknown");

  const operations = engine.calls.map(({ operation }) => operation).toSorted();
  expect(operations).toEqual(["GetItem", "GetItem", "Query", "Query"]);
});
