/** The operations with the real engine and the permissions of the template. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { addAccountMember, getMessage, type Operation } from "../../lib/api/operations.ts";
import { storeMessage } from "../../lib/messages/store-message.ts";
import { guard, permissionsOf } from "../harness/permissions.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../harness/service.ts";
import { functionOf, templateWith } from "../harness/synthesise.ts";

/** Starts the service with a table that rejects every call without a permission of the operation's role. */
const startGuarded = async (operation: Operation) => {
  const template = templateWith();
  const { table, conflict, unused } = guard(permissionsOf(template, functionOf(template, operation)));
  return { url: await startService(() => noon, table), conflict, unused };
};

test("Get Message has every permission that it needs, and no other", async () => {
  const { url, unused } = await startGuarded(getMessage);
  const { secret, account_id } = await newKey();
  const message = newMessage({ account_id });
  await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello\r\n"), noon);
  const get = (id: string) =>
    call(`${url}/v2/accounts/${account_id}/messages/${id}`, { headers: bearer(secret) });

  expect((await get(message.id)).status).toBe(200);
  expect((await get(randomUUID())).status).toBe(404);
  expect(unused()).toEqual([]);
});

test("Add Account Member has every permission that it needs, and no other", async () => {
  const { url, conflict, unused } = await startGuarded(addAccountMember);
  const { secret, account_id } = await newKey();
  const add = async (email: string, key: string) => {
    const response = await call(`${url}/v2/accounts/${account_id}/members`, {
      method: "POST",
      headers: { ...bearer(secret), "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify({ email, role: "Developer" }),
    });
    return response.status;
  };

  expect(await add("ada@example.com", "one")).toBe(201);
  expect(await add("ada@example.com", "one")).toBe(201);
  expect(await add("bea@example.com", "one")).toBe(422);
  expect(await add("ada@example.com", "two")).toBe(409);
  conflict();
  expect(await add("cleo@example.com", "three")).toBe(201);
  expect(unused()).toEqual([]);
});
