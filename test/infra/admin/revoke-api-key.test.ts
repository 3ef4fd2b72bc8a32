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

test("Every key on standard input, as keys are found in a leak", async () => {
  const keys = await Promise.all(Array.from({ length: 6 }, () => createKey()));
  const [a, b, c, d, e, f] = keys.map(({ api_key }) => api_key);
  const input = `\n${a}\r\nAuthorization: Bearer ${b}\n${c}, ${d} ${c}\n{"key":"${e}","id":"${keys[4].id}"} ${f}-\n`;

  const { status, stdout, stderr } = await admin("revoke-api-key -", { input });

  expect({ status, stderr }).toEqual({ status: 0, stderr: [] });
  expect(stdout).toEqual(keys.map(({ id }) => `revoked   ${id}`));
  expect(await Promise.all(keys.map(({ api_key }) => statusFor(api_key)))).toEqual(Array(6).fill(401));
});

test("By label, within an account", async () => {
  const label = randomUUID();
  const { id } = await createKey(label);

  expect(await adminJson(`revoke-api-key --account ${account} ${label}`)).toEqual([{ id, revoked: true }]);
});

test("A label that two keys have ends neither", async () => {
  const label = randomUUID();
  const first = await createKey(label);
  const [second] = await adminJson(`rotate-api-key ${first.id}`);
  const keys = [first, second];

  const { status, stderr } = await admin(`revoke-api-key --account ${account} ${label}`);

  expect(status).toBe(1);
  expect(stderr).toEqual([`${label}: 2 keys have this label. Name a key by its id`]);
  expect(await Promise.all(keys.map(({ api_key }) => statusFor(api_key)))).toEqual([404, 404]);
});

test("What can't be revoked is told, without a secret, and the others are revoked all the same", async () => {
  const { id, api_key } = await createKey();
  await admin(`revoke-api-key ${id}`);
  const other = await createKey();

  const { status, stdout, stderr } = await admin(
    `revoke-api-key ${api_key} emk_${"x".repeat(43)} shop --account ${account} ${other.id}`,
  );

  expect(status).toBe(1);
  expect(stdout).toEqual([`revoked   ${other.id}`]);
  expect(stderr).toEqual([
    `${id}: no such key, or it was revoked or has expired`,
    expect.stringMatching(/^[\da-f]{64}: no such key/),
    "shop: no such key, or it was revoked or has expired",
  ]);
});

test("A label needs its account", async () => {
  const { status, stderr } = await admin("revoke-api-key shop");

  expect(status).toBe(2);
  expect(stderr).toEqual(["shop: neither an id nor a key. A label requires --account"]);
});

test("Standard input that names nothing is refused: nobody shall think that a key has ended", async () => {
  const { status, stderr } = await admin("revoke-api-key -", { input: "\n" });

  expect(status).toBe(2);
  expect(stderr).toEqual(["Standard input is empty"]);
});
