import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { rotateApiKey } from "../../../lib/api-keys/store.ts";
import { daySeconds } from "../../../lib/duration.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { bearer, call, startService, table } from "../../harness/service.ts";

const hour = 60 * 60 * 1000;

const create = async (options = "") => (await adminJson(`create-api-key ${options}`))[0];

test("The new key may do what the old one may, and both work until the grace time is over", async () => {
  let now = Date.now();
  const url = await startService(() => now);
  const old = await create("--label shop --scope messages:read:all");
  const statusFor = async ({ api_key }: { api_key: string }) => {
    const path = `/v2/accounts/${old.account_id}/messages/${randomUUID()}`;
    return (await call(`${url}${path}`, { headers: bearer(api_key) })).status;
  };

  const [rotated] = await adminJson(`rotate-api-key ${old.id} --grace 12h`);

  expect(rotated).toMatchObject({
    account_id: old.account_id,
    scopes: old.scopes,
    expires_at: null,
    replaces: { id: old.id },
  });
  expect((Date.parse(rotated.replaces.expires_at) - now) / hour).toBeCloseTo(12, 1);
  expect([await statusFor(old), await statusFor(rotated)]).toEqual([404, 404]);
  now = Date.parse(rotated.replaces.expires_at);
  expect([await statusFor(old), await statusFor(rotated)]).toEqual([401, 404]);
});

test("Both keys are listed until the old one has expired", async () => {
  const old = await create("--label shop");
  const [rotated] = await adminJson(`rotate-api-key shop --account ${old.account_id}`);

  const listed = await adminJson(`list-api-keys --account ${old.account_id}`);

  expect(listed).toMatchObject([
    { id: old.id, label: "shop", expires_at: rotated.replaces.expires_at },
    { id: rotated.id, label: "shop", expires_at: null },
  ]);
  expect((Date.parse(rotated.replaces.expires_at) - Date.now()) / hour).toBeCloseTo(24, 1);
});

test("--grace 0 ends the old key at once: a leaked key is replaced in one step", async () => {
  const url = await startService(Date.now);
  const old = await create();

  const { status } = await admin("rotate-api-key - --grace 0", { input: old.api_key });

  expect(status).toBe(0);
  const path = `/v2/accounts/${old.account_id}/messages/${randomUUID()}`;
  expect((await call(`${url}${path}`, { headers: bearer(old.api_key) })).status).toBe(401);
  expect(await adminJson(`list-api-keys --account ${old.account_id}`)).toHaveLength(1);
});

test("A key of 30 days is followed by one of 30 days, and keeps no longer than it had", async () => {
  const old = await create("--expires-in 30d");

  const [rotated] = await adminJson(`rotate-api-key ${old.id} --grace 60d`);

  expect((Date.parse(rotated.expires_at) - Date.now()) / hour).toBeCloseTo(30 * 24, 1);
  expect(rotated.replaces.expires_at).toBe(old.expires_at);
});

test("A key that has been revoked, or never was, has no successor", async () => {
  const { id, account_id } = await create();
  await admin(`revoke-api-key ${id}`);

  const { status, stdout, stderr } = await admin(`rotate-api-key ${id}`);

  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: [],
    stderr: [`${id}: no such key, or it was revoked or has expired`],
  });
  expect(await adminJson(`list-api-keys --account ${account_id}`)).toHaveLength(1);
});

test("Of two rotations at the same time, the shorter grace time counts, whichever ends last", async () => {
  const { id, account_id } = await create();
  let isFirst = true;
  const meeting = interceptedTable(table, async (command, proceed) => {
    if (command.constructor.name === "TransactWriteCommand" && isFirst) {
      isFirst = false;
      await rotateApiKey(table, id, 60, Date.now());
    }
    return proceed();
  });

  const rotated = await rotateApiKey(meeting, id, 7 * daySeconds, Date.now());

  const seconds = Number(rotated?.old.expires_at) - Date.now() / 1000;
  expect(seconds).toBeLessThanOrEqual(60);
  const [old] = await adminJson(`list-api-keys --account ${account_id}`);
  expect(Date.parse(old.expires_at) / 1000).toBe(rotated?.old.expires_at);
});

test("Rotating a key needs exactly one key", async () => {
  const [one, other] = [await create(), await create()];

  const { status, stderr } = await admin("rotate-api-key -", { input: `${one.api_key}\n${other.api_key}` });

  expect({ status, stderr }).toEqual({ status: 2, stderr: ["The input names more than one key"] });
});
