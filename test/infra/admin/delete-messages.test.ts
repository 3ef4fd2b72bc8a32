/** `delete-message` and `remove-content`. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { readMarker } from "../../../lib/messages/marker.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { dayMilliseconds } from "../../../lib/time/clock.ts";
import { admin, adminJson } from "../../harness/admin.ts";

import { cutAfterWrites } from "../../harness/intercepted-table.ts";
import { attempted, bearer, call, itemsOf, newKey, recordEvent, startService, table } from "../../harness/service.ts";
import { failingAfter } from "../../lib/messages/stored-message.ts";

const file = "test/emails/plain-text.eml";

/** An account with one imported message. */
const imported = async (options = "") => {
  const url = await startService(Date.now);
  const { account_id, secret } = await newKey();
  const importing = `import-message --account ${account_id} --domain ${randomUUID()} ${options} ${file}`;
  const [{ id }] = await adminJson(importing);
  const path = `/v2/accounts/${account_id}/messages/${id}`;
  return { account_id, id, importing, get: () => call(`${url}${path}`, { headers: bearer(secret) }) };
};

test("delete-message leaves a tombstone only, and says how long backups keep the message", async () => {
  const { account_id, id, importing, get } = await imported();

  const { status, stdout } = await admin(`delete-message ${id} --account ${account_id}`);
  const left = await itemsOf({ account_id, id });
  const found = await get();
  await admin(`${importing} --restore-deleted`);
  const [deleted] = await adminJson(`delete-message ${id} --account ${account_id}`);
  await admin(`${importing} --restore-deleted`);
  const [deletedLocally] = await adminJson(`delete-message ${id} --account ${account_id} --local`);

  expect([status, stdout.length]).toEqual([0, 1]);
  expect(stdout[0]).toMatch(`deleted   ${id}   (point-in-time recovery has it until 20`);
  expect(found.status).toBe(404);
  const names = left.map((item) => Object.keys(item).sort().join(" "));
  expect(names).toEqual(["content_digest expires_at pk sk"]);
  expect(deleted).toEqual({ id, deleted: true, is_blocked: true, recoverable_until: expect.any(String) });
  expect((Date.parse(deleted.recoverable_until) - Date.now()) / dayMilliseconds).toBeCloseTo(35, 1);
  expect(deletedLocally).toEqual({ id, deleted: true, is_blocked: true, recoverable_until: null });
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

test("remove-content says how long backups keep the email, and npm start's table has none", async () => {
  const { account_id, id } = await imported();

  const { stdout } = await admin(`remove-content ${id} --account ${account_id}`);
  const locally = await adminJson(`remove-content ${id} --account ${account_id} --local`);

  const note = "\\(point-in-time recovery has it until 20.+Z\\)";
  expect(stdout).toEqual([expect.stringMatching(`^content removed   ${id}   ${note}$`)]);
  expect(locally).toEqual([{ id, content_removed: true, recoverable_until: null }]);
});

test.each(["", "--json"])("What an interrupted deletion had left counts as deleted %s", async (json) => {
  const { account_id, id } = await imported();
  const failing = failingAfter("DeleteCommand", 0);
  await expect(deleteMessage(failing, { account_id, id }, Date.now())).rejects.toThrow("power cut");

  const { status, stdout } = await admin(`delete-message ${id} --account ${account_id} ${json}`);

  expect(status).toBe(0);
  if (json) expect(JSON.parse(stdout[0] ?? "")).toMatchObject({ deleted: true, recoverable_until: expect.any(String) });
  else expect(stdout[0]).toMatch(/^deleted .+ has it until 20.+Z\) {3}\(what an interrupted call had left\)$/);
});

test.each([1, 2, 3])("A restored message has no attempt of a deletion that was cut after %i writes", async (writes) => {
  const { account_id, id, importing, get } = await imported("--retain-until 2096-01-01");
  for (const minutes of [1, 2, 3])
    await recordEvent({ account_id, id }, attempted(Date.now() - minutes * 60_000), Date.now());

  await cutAfterWrites(writes, () => admin(`delete-message ${id} --account ${account_id}`));
  await admin(`${importing} --restore-deleted`);

  expect(await (await get()).json()).toMatchObject({ id, num_attempts: 0, delivery_attempts: [] });
});

test("delete-message succeeds again, and says that nothing was left", async () => {
  const { account_id, id } = await imported();
  await admin(`delete-message ${id} --account ${account_id}`);

  const again = await admin(`delete-message ${id} --account ${account_id}`);
  const third = await adminJson(`delete-message ${id} --account ${account_id}`);

  const line = `gone      ${id}   (nothing was left to delete; no event can store it again)`;
  expect(again).toMatchObject({ status: 0, stdout: [line], stderr: [] });
  expect(third).toEqual([{ id, deleted: false, is_blocked: true, recoverable_until: null }]);
});

test.each([
  ["delete-message", ". --force blocks the id", { deleted: false, is_blocked: false }],
  ["remove-content", "", { content_removed: false }],
])("%s of an unknown id says that it changed nothing", async (command, hint, fields) => {
  const [account_id, id] = [randomUUID(), randomUUID()];

  const ran = await admin(`${command} ${id} --account ${account_id}`);
  const asJson = await adminJson(`${command} ${id} --account ${account_id}`);

  expect(asJson).toEqual([{ id, ...fields, recoverable_until: null }]);
  const line = `unknown   ${id}   (the account has no such message; nothing was changed${hint})`;
  expect(ran).toMatchObject({ status: 0, stdout: [line], stderr: [] });
  expect(await itemsOf({ account_id, id })).toEqual([]);
  expect(await readMarker(table, { account_id, id })).toBeUndefined();
});

test("--force blocks an id that no message has yet", async () => {
  const [account_id, id] = [randomUUID(), randomUUID()];

  const [blocked] = await adminJson(`delete-message ${id} --account ${account_id} --force`);

  expect(blocked).toEqual({ id, deleted: false, is_blocked: true, recoverable_until: null });
  expect(await readMarker(table, { account_id, id })).toMatchObject({ deleted_at: expect.any(String) });
});
