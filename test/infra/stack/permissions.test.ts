/** The functions with the real engine and the permissions of the template. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { applyEvents } from "../../../lib/events/apply-events.ts";
import { takeEvents } from "../../../lib/events/receive-batch.ts";
import { findSender } from "../../../lib/events/senders.ts";
import { addAccountMember, getMessage, type Operation } from "../../../lib/http/operations.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { guard, rolePermissions } from "../../harness/permissions.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";
import { sesEvent } from "../../harness/ses.ts";
import { deliver } from "../../harness/sqs.ts";
import { functionOf, ofType, type Resource, templateWith } from "../../harness/synthesise.ts";

/** Starts the service with a table that rejects every call without a permission of the operation's role. */
const startGuarded = async (operation: Operation) => {
  const template = templateWith();
  const { table, conflict, unused } = guard(rolePermissions(template, functionOf(template, operation)));
  return { url: await startService(() => noon, table), conflict, unused };
};

test("Get Message has every permission that it needs, and no other", async () => {
  const { url, unused } = await startGuarded(getMessage);
  const { secret, account_id } = await newKey();
  const message = newMessage({ account_id });
  await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello\r\n"), noon);
  const get = (id: string) => call(`${url}/v2/accounts/${account_id}/messages/${id}`, { headers: bearer(secret) });

  expect((await get(message.id)).status).toBe(200);
  expect((await get(randomUUID())).status).toBe(404);
  expect((await get(`${message.id}?fields=status`)).status).toBe(200);
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

test("RecordEvents has every permission that it needs, and no other", async () => {
  const template = templateWith({ intake: "true" });
  const [intake] = ofType(template, "AWS::Lambda::Function").filter(
    ({ Properties }) => Properties.Environment?.Variables.EVENT_QUEUE_URL,
  );
  const guarded = guard(rolePermissions(template, intake as Resource));
  const { conflict, unused } = guarded;
  let whileStoring: (() => Promise<unknown>) | undefined;
  const readEmail = async () => randomBytes(1_000_000);
  const meanwhile = interceptedTable(guarded.table, async ({ constructor: { name } }, proceed) => {
    if (name === "PutCommand") await whileStoring?.();
    return proceed();
  });
  const handler = takeEvents(
    (events) => applyEvents(meanwhile, events, readEmail, noon),
    async () => {},
    (name) => findSender(guarded.table, name),
  );
  const record = (...bodies: string[]) =>
    deliver(
      handler,
      bodies.map((body, index) => ({ messageId: String(index), body })),
    );
  const { account_id, ...message } = newMessage({ account_id: randomUUID() });
  const event = (fields: object) =>
    JSON.stringify({ id: randomUUID(), account_id, message: { id: message.id }, ...fields });
  const time = new Date(noon).toISOString();
  const stored = event({ type: "message.stored", message, raw_email: "1.eml" });
  const changes = [
    event({ type: "message.status", time, status: "delivered", delivered_at: time }),
    event({ type: "message.delivery_attempt", time, status: "delivered", log: "250 OK" }),
    event({ type: "message.opened" }),
    event({ type: "message.clicked" }),
  ];

  expect(await record(sesEvent("Send"))).toEqual(["0"]); // Its sender is unknown.
  expect(await record(...changes)).toHaveLength(changes.length); // The message is not stored yet.
  expect(await record(stored)).toEqual([]);
  for (const change of changes) {
    conflict();
    expect(await record(change)).toEqual([]);
  }
  expect(await record(stored, ...changes)).toEqual([]);
  const bare = { ...message, id: randomUUID() };
  expect(await record(event({ type: "message.stored", message: bare, raw_email: null }))).toEqual([]);
  conflict();
  expect(await record(event({ type: "message.content", message: { id: bare.id }, raw_email: "2.eml" }))).toEqual([]);
  const deleted = { ...message, id: randomUUID() };
  whileStoring = () => deleteMessage(table, { account_id, id: deleted.id }, noon, { force: true });
  expect(await record(event({ type: "message.stored", message: deleted, raw_email: "1.eml" }))).toEqual([]);
  expect(unused()).toEqual([]);
});
