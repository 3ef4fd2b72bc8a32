import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, startService } from "../../harness/service.ts";

const account = randomUUID();

let url: string;
beforeEach(async () => {
  url = await startService(Date.now);
});

const createKey = async (label = randomUUID()) =>
  (await adminJson(`create-api-key --account ${account} --label ${label}`))[0];

/** What a caller with the key hears: 404, because there is no such message, or 401. */
const statusFor = async (api_key: string): Promise<number> =>
  (await call(`${url}/v2/accounts/${account}/messages/${randomUUID()}`, { headers: bearer(api_key) })).status;

test("By id, from the next request on", async () => {
  const { id, api_key } = await createKey();
  expect(await statusFor(api_key)).toBe(404);

  const { status, stdout } = await admin(`revoke-api-key ${id}`);

  expect({ status, stdout }).toEqual({ status: 0, stdout: [`revoked   ${id}`] });
  expect(await statusFor(api_key)).toBe(401);
});

test("By the key itself, which is never printed", async () => {
  const { id, api_key } = await createKey();

  const { status, stdout, stderr } = await admin(`revoke-api-key ${api_key}`);

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: [`revoked   ${id}`], stderr: [] });
  expect(await statusFor(api_key)).toBe(401);
});

test("By keys on standard input, as they are found in a leak", async () => {
  const keys = [await createKey(), await createKey()];
  const input = `\n${keys[0].api_key}\r\nAuthorization: Bearer ${keys[1].api_key}\n`;

  const { status, stdout } = await admin("revoke-api-key -", { input });

  expect(status).toBe(0);
  expect(stdout).toEqual(keys.map(({ id }) => `revoked   ${id}`));
});

test("By label, within an account", async () => {
  const label = randomUUID();
  const { id } = await createKey(label);

  expect(await adminJson(`revoke-api-key --account ${account} ${label}`)).toEqual([{ id, revoked: true }]);
});

test("A label that two keys have ends neither", async () => {
  const label = randomUUID();
  const keys = [await createKey(label), await createKey(label)];

  const { status, stderr } = await admin(`revoke-api-key --account ${account} ${label}`);

  expect(status).toBe(1);
  expect(stderr).toEqual([`${label}: 2 keys have this label; name one by its id, as list-api-keys shows it`]);
  expect(await Promise.all(keys.map(({ api_key }) => statusFor(api_key)))).toEqual([404, 404]);
});

test("What can't be revoked is told, without a secret, and the others are revoked all the same", async () => {
  const { id, api_key } = await createKey();
  await admin(`revoke-api-key ${id}`);
  const other = await createKey();

  const { status, stdout, stderr } = await admin(
    `revoke-api-key ${api_key} emk_unknown shop --account ${account} ${other.id}`,
  );

  expect(status).toBe(1);
  expect(stdout).toEqual([`revoked   ${other.id}`]);
  expect(stderr).toEqual([
    `${id}: no such key, or it has ended already`,
    expect.stringMatching(/^[\da-f]{64}: no such key/),
    "shop: no such key, or it has ended already",
  ]);
});

test("A label needs its account", async () => {
  const { status, stderr } = await admin("revoke-api-key shop");

  expect(status).toBe(1);
  expect(stderr).toEqual(["shop: neither an id nor a key; a label needs the key's --account beside it"]);
});

test("Standard input that names nothing is refused: nobody shall think that a key has ended", async () => {
  const { status, stderr } = await admin("revoke-api-key -", { input: "\n" });

  expect(status).toBe(2);
  expect(stderr).toEqual(["Standard input names nothing"]);
});
