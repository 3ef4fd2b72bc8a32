/** `delete-message` and `remove-content`. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { dayMilliseconds } from "../../../lib/time.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, itemsOf, newKey, startService } from "../../harness/service.ts";

const file = "test/emails/plain-text.eml";

/** An account with one imported message. */
const imported = async () => {
  const url = await startService(Date.now);
  const { account_id, secret } = await newKey();
  const importing = `import-message --account ${account_id} --domain ${randomUUID()} ${file}`;
  const [{ id }] = await adminJson(importing);
  const path = `/v2/accounts/${account_id}/messages/${id}`;
  return { account_id, id, importing, get: () => call(`${url}${path}`, { headers: bearer(secret) }) };
};

test("delete-message leaves a tombstone only, and says how long backups keep the message", async () => {
  const { account_id, id, importing, get } = await imported();

  const { status, stdout } = await admin(`delete-message ${id} --account ${account_id}`);
  const left = await itemsOf({ account_id, id });
  const found = await get();
  await admin(importing);
  const [deleted] = await adminJson(`delete-message ${id} --account ${account_id}`);
  await admin(importing);
  const [deletedLocally] = await adminJson(`delete-message ${id} --account ${account_id} --local`);

  expect([status, stdout.length]).toEqual([0, 1]);
  expect(stdout[0]).toMatch(`deleted   ${id}   (point-in-time recovery has it until 20`);
  expect(found.status).toBe(404);
  const names = left.map((item) => Object.keys(item).sort().join(" "));
  expect(names).toEqual(["content_digest expires_at pk sk"]);
  expect(deleted).toEqual({ id, deleted: true, recoverable_until: expect.any(String) });
  expect((Date.parse(deleted.recoverable_until) - Date.now()) / dayMilliseconds).toBeCloseTo(35, 1);
  expect(deletedLocally).toEqual({ id, deleted: true, recoverable_until: null });
});

test("remove-content keeps all other fields, and another import does not restore the content", async () => {
  const { account_id, id, importing, get } = await imported();
  const before = (await (await get()).json()) as object;

  const removed = await adminJson(`remove-content ${id} --account ${account_id}`);

  const after = { ...before, updated_at: expect.any(String), content: null, content_parsed: null };
  expect(removed).toEqual([{ id, content_removed: true, recoverable_until: expect.any(String) }]);
  expect(await (await get()).json()).toEqual(after);
  expect(await adminJson(importing)).toMatchObject([{ id, is_new: false }]);
  expect(await (await get()).json()).toEqual(after);
});

test.each(["delete-message", "remove-content"])("%s reports an unknown message", async (command) => {
  const id = randomUUID();

  const ran = await admin(`${command} ${id} --account ${randomUUID()}`);

  expect(ran).toMatchObject({ status: 1, stderr: [`${id}: the account has no such message`] });
});
