import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, itemsOf, newKey, startService } from "../../harness/service.ts";

const file = "test/emails/plain-text.eml";

const importInto = async (account_id: string): Promise<string> => {
  const [{ id }] = await adminJson(`import-message --account ${account_id} --domain ${randomUUID()} ${file}`);
  return id;
};

test("The message is not found from then on, and nothing of it is left", async () => {
  const url = await startService(Date.now);
  const { account_id, secret } = await newKey();
  const id = await importInto(account_id);

  const { status, stdout } = await admin(`delete-message ${id} --account ${account_id}`);

  expect(status).toBe(0);
  expect(stdout).toEqual([
    expect.stringMatching(`^deleted   ${id}   \\(point-in-time recovery has it until 20.*Z\\)$`),
  ]);
  const { status: found } = await call(`${url}/v2/accounts/${account_id}/messages/${id}`, {
    headers: bearer(secret),
  });
  expect(found).toBe(404);
  const left = await itemsOf({ account_id, id });
  expect(left.map((item) => Object.keys(item).sort())).toEqual([
    ["content_digest", "expires_at", "pk", "sk"],
  ]);
});

test("Says until when a backup has it: 35 days, and on this machine not at all", async () => {
  const account_id = randomUUID();
  const id = await importInto(account_id);
  const [deleted] = await adminJson(`delete-message ${id} --account ${account_id}`);
  await importInto(account_id);
  const [deletedLocally] = await adminJson(`delete-message ${id} --account ${account_id} --local`);

  expect(deleted).toEqual({ id, deleted: true, recoverable_until: expect.any(String) });
  const days = (Date.parse(deleted.recoverable_until) - Date.now()) / (24 * 60 * 60 * 1000);
  expect(days).toBeCloseTo(35, 1);
  expect(deletedLocally).toEqual({ id, deleted: true, recoverable_until: null });
});

test("A message that is not there is told of", async () => {
  const id = randomUUID();

  const { status, stderr } = await admin(`delete-message ${id} --account ${randomUUID()}`);

  expect({ status, stderr }).toEqual({ status: 1, stderr: [`${id}: the account has no such message`] });
});
