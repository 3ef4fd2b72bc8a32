import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { findMessage } from "../../../../lib/messages/read/find-message.ts";
import { headFields } from "../../../../lib/messages/read/head-fields.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import {
  attempted,
  clicked,
  itemsOf,
  newMessage,
  noon,
  opened,
  recordEvent,
  status,
  table,
} from "../../../harness/service.ts";

const account_id = randomUUID();

const stored = async (fields: object = {}) => {
  const message = newMessage({ account_id, status: "accepted", ...fields });
  await storeMessage(table, message, null, noon);
  return message;
};

const read = async ({ id }: { id: string }, now = noon) => {
  const found = await findMessage(table, account_id, id, now);
  return found && JSON.parse(JSON.stringify(headFields(found)));
};

const events = [
  ["a status", status("delivered", "2026-11-20T12:00:00Z")],
  ["a delivery attempt", attempted(noon)],
  ["an open", opened],
  ["a click", clicked],
] as const;

test.each(events)("%s is rejected if the message does not exist", async (_, what) => {
  const message = newMessage({ account_id });

  await expect(recordEvent(message, what)).rejects.toThrow("its message is not stored yet");

  expect(await itemsOf(message)).toEqual([]);
});

test.each(events)("%s is not recorded after the message has expired", async (_, what) => {
  const message = await stored({ retain_until: new Date(noon + 10_000) });
  const [before] = await itemsOf(message);

  expect(await recordEvent(message, what, noon + 9_999)).toBe("recorded");
  expect(await recordEvent(message, what, noon + 10_000)).toBe("expired");

  const [after] = await itemsOf(message);
  expect(after?.updated_at).toBe(new Date(noon + 9_999).toISOString());
  expect(after?.expires_at).toBe(before?.expires_at);
});

test("A status that is older than the message replaces the status of the stored message", async () => {
  const message = await stored();

  await recordEvent(message, status("deferred", "2020-01-01T00:00:00.000Z"));

  expect(await read(message)).toMatchObject({ status: "deferred" });
});
