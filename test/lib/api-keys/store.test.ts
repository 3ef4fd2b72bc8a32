/** API keys in the table. */
import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { idOfSecret } from "../../../lib/api-keys/api-key.ts";
import {
  createApiKey,
  keysLabelled,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  storeApiKey,
} from "../../../lib/api-keys/store.ts";
import { apiKeyKey, apiKeyListingKey } from "../../../lib/table/keys.ts";
import { listItems } from "../../../lib/table/list.ts";
import { startFaultyEngine } from "../../harness/faulty-engine.ts";
import { newKey, noon, table } from "../../harness/service.ts";

const itemUnder = async (id: string) => {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: apiKeyKey(id), ConsistentRead: true }),
  );
  return Item;
};

test("Only the digest of a secret is stored", async () => {
  const account_id = randomUUID();

  const { secret } = await createApiKey(table, { account_id, scopes: ["*"], label: "program" }, noon);

  const listed = await listItems(table, apiKeyListingKey(account_id, ""));
  const stored = JSON.stringify([await itemUnder(idOfSecret(secret)), listed]);
  expect(stored).toContain(idOfSecret(secret));
  expect(stored).not.toContain(secret);
  expect(stored).not.toContain(secret.slice(4));
});

test("Keys are listed the oldest first, and not in the order of their ids", async () => {
  const account_id = randomUUID();
  for (const [index, digit] of ["e", "0", "f", "1"].entries()) {
    const created_at = new Date(noon + index).toISOString();
    await storeApiKey(table, { id: digit.repeat(63) + account_id.slice(-1), account_id, scopes: ["*"], created_at });
  }

  const ids = (await listApiKeys(table, account_id, noon)).map(({ id }) => id[0]);

  expect(ids).toEqual(["e", "0", "f", "1"]);
});

test("An expired key is gone before TTL deletes it: it has no label and can't be rotated, but it can be revoked", async () => {
  const account_id = randomUUID();
  const grant = { account_id, scopes: ["*"], label: "shop", expires_at: noon / 1000 + 1 };
  const { apiKey } = await createApiKey(table, grant, noon);
  const seen = async (now: number) => [
    (await listApiKeys(table, account_id, now)).length,
    (await keysLabelled(table, account_id, "shop", now)).length,
    (await rotateApiKey(table, apiKey.id, 60, now)) !== null,
  ];

  expect(await seen(noon + 999)).toEqual([1, 1, true]);
  expect(await seen(noon + 1000)).toEqual([0, 0, false]);
  expect(await revokeApiKey(table, apiKey.id, noon + 1000)).toBe(true);
});

test("Two secrets share only the prefix that secret scanners recognise", async () => {
  const { secret: one } = await newKey();
  const { secret: other } = await newKey();

  expect(one).toMatch(/^emk_[\w-]{43}$/);
  expect(one).not.toBe(other);
});

test("Revoking a key that does not exist writes nothing", async () => {
  const id = idOfSecret(randomUUID());

  expect(await revokeApiKey(table, id, noon)).toBe(false);

  expect(await itemUnder(id)).toBeUndefined();
});

test("Revoking a key twice keeps the time of the first revocation", async () => {
  const { id } = await newKey();

  expect(await revokeApiKey(table, id, noon)).toBe(true);
  expect(await revokeApiKey(table, id, noon + 1000)).toBe(false);

  expect(await itemUnder(id)).toMatchObject({ revoked_at: new Date(noon).toISOString() });
});

test("A key and its listing expire at the same time, but the listing of a replaced key stays until then", async () => {
  const account_id = randomUUID();
  const expires_at = noon / 1000 + 3600;
  const { apiKey } = await createApiKey(table, { account_id, scopes: ["*"], expires_at }, noon);
  const { apiKey: lasting } = await createApiKey(table, { account_id, scopes: ["*"] }, noon);
  await (await rotateApiKey(table, lasting.id, 60, noon))?.replace();

  const listed = await listItems(table, apiKeyListingKey(account_id, ""), "id", "expires_at");

  expect(listed).toHaveLength(3);
  expect(listed).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: apiKey.id, expires_at }),
      { ...apiKeyListingKey(account_id, lasting.id), id: lasting.id },
    ]),
  );
  expect(await itemUnder(lasting.id)).toMatchObject({ expires_at: noon / 1000 + 60 });
});

test("Two rotations of a key at the same time both store a new key, because the transaction in conflict is retried", async () => {
  const engine = await startFaultyEngine({ hold: 300 });
  const { id } = await newKey();
  const rotate = async () => (await rotateApiKey(engine.table, id, 60, noon))?.replace();

  expect(await Promise.all([rotate(), rotate()])).toEqual([true, true]);
  expect(engine.calls.filter(({ operation }) => operation === "TransactWriteItems").length).toBeGreaterThan(2);
});

test("The key that replaces one of an hour's life lives for an hour from then on, and one without an end has none", async () => {
  const rotated = async (expires_at?: number) => {
    const grant = { account_id: randomUUID(), scopes: ["*"], ...(expires_at && { expires_at }) };
    const { apiKey } = await createApiKey(table, grant, noon);
    return (await rotateApiKey(table, apiKey.id, 60, noon + 1_800_000))?.apiKey;
  };

  expect(await rotated(noon / 1000 + 3600)).toMatchObject({ expires_at: noon / 1000 + 1800 + 3600 });
  expect((await rotated())?.expires_at).toBeUndefined();
});
