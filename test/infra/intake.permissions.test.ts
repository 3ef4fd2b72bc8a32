/** RecordEvents on the real engine, where the template's own policy decides what it may do. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { recordEvent } from "../../lib/intake/record-event.ts";
import { takeEvents } from "../../lib/intake/take-events.ts";
import { guard, permissionsOf } from "../harness/permissions.ts";
import { newMessage, noon } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";
import { ofType, type Resource, templateWith } from "../harness/synthesise.ts";

const template = templateWith({ intake: "true" });
const [recordEvents] = ofType(template, "AWS::Lambda::Function").filter(
  ({ Properties }) => Properties.Description === "Records the events of the queue",
);

/** An account's events, each in a queue of its own. */
const events = (raw: Buffer) => {
  const account_id = randomUUID();
  const { account_id: _, ...message } = newMessage({ account_id });
  const body = (event: object) => JSON.stringify({ id: randomUUID(), account_id, ...event });
  const time = new Date(noon).toISOString();
  const change = (type: string, more: object = {}) => body({ type, message: { id: message.id }, ...more });
  return {
    raw,
    stored: body({ type: "message.stored", message, raw_email: "1.eml" }),
    changes: [
      change("message.status", { time, status: "delivered", delivered_at: time }),
      change("message.delivery_attempt", { time, status: "delivered", log: "250 OK" }),
      change("message.opened"),
      change("message.clicked"),
    ],
  };
};

test("Record Events is allowed all that it does, and nothing that it does not do", async () => {
  const { table, conflict, unused } = guard(permissionsOf(template, recordEvents as Resource));
  const { raw, stored, changes } = events(randomBytes(1_000_000));
  const handler = takeEvents(
    (event) => recordEvent(table, event, async () => raw, noon),
    async () => {},
  );
  const record = (...bodies: string[]) =>
    deliver(
      handler,
      bodies.map((body, index) => ({ messageId: String(index), body })),
    );

  expect(await record(...changes)).toHaveLength(changes.length); // their message is not there yet
  expect(await record(stored)).toEqual([]);
  for (const change of changes) {
    conflict();
    expect(await record(change)).toEqual([]);
  }
  expect(await record(stored, ...changes)).toEqual([]);
  expect(unused()).toEqual([]);
});
