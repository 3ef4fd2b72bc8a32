import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, newKey, startService } from "../../harness/service.ts";

const file = "test/emails/plain-text.eml";

test("Get Message answers null for the content, and all else as before, even after another import", async () => {
  const url = await startService(Date.now);
  const { account_id, secret } = await newKey();
  const importing = `import-message --account ${account_id} --domain ${randomUUID()} ${file}`;
  const [{ id }] = await adminJson(importing);
  const get = async () => {
    const path = `/v2/accounts/${account_id}/messages/${id}`;
    return (await call(`${url}${path}`, { headers: bearer(secret) })).json() as Promise<object>;
  };
  const before = await get();

  const removed = await adminJson(`remove-content ${id} --account ${account_id}`);

  expect(removed).toEqual([{ id, content_removed: true, recoverable_until: expect.any(String) }]);
  const after = { ...before, updated_at: expect.any(String), content: null, content_parsed: null };
  expect(await get()).toEqual(after);
  expect(await adminJson(importing)).toMatchObject([{ id, is_new: false }]);
  expect(await get()).toEqual(after);
});

test("A message that is not there is told of", async () => {
  const id = randomUUID();

  const { status, stderr } = await admin(`remove-content ${id} --account ${randomUUID()}`);

  expect({ status, stderr }).toEqual({ status: 1, stderr: [`${id}: the account has no such message`] });
});
