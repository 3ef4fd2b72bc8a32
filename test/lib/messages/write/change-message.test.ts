import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyChanges } from "../../../../lib/events/apply-changes.ts";
import { findMessage } from "../../../../lib/messages/read/find-message.ts";
import { headFields } from "../../../../lib/messages/read/head-fields.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { headKey } from "../../../../lib/table/keys.ts";
import { toNanoseconds } from "../../../../lib/time/timestamp.ts";
import { interceptedTable } from "../../../harness/intercepted-table.ts";
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

test("Of each field, the newest event that has it decides, to the nanosecond, in whatever order the events arrive", async () => {
  const names = ["sent", "deferred", "delivered", "bounced"];
  const moments = fc.constantFrom("07.000100Z", "07.000900Z", "07.000900001Z", "08Z");
  const change = fc.record({
    status: fc.constantFrom(...names),
    time: moments.map((second) => toNanoseconds(`2096-11-20T12:00:${second}`) ?? ""),
    sent_at: fc.option(fc.constantFrom("2096-11-20T12:00:01.000Z", "2096-11-20T12:00:02.000Z"), { nil: undefined }),
    bounce_classification: fc.option(fc.constantFrom("spam", "mailbox-full"), { nil: undefined }),
  });
  const changes = fc.array(change, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(changes, fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 3 }), async (all, order, size) => {
      const message = await stored();
      const events = all.map((one, index) => ({
        ...one,
        type: "message.status" as const,
        id: `${message.id} ${index}`,
        account_id,
        message: { id: message.id },
      }));
      const arriving = events.toSorted(() => (order.next().value % 3) - 1);

      for (let start = 0; start < arriving.length; start += size) {
        await applyChanges(table, arriving.slice(start, start + size), noon);
      }

      const ordered = events.toSorted((a, b) => (`${a.time}#${a.id}` < `${b.time}#${b.id}` ? -1 : 1));
      const expected = Object.assign({}, ...ordered.map((one) => JSON.parse(JSON.stringify(one))));
      expect(await read(message)).toMatchObject({
        status: expected.status,
        sent_at: expected.sent_at ?? null,
        ...(expected.bounce_classification && { bounce_classification: expected.bounce_classification }),
      });
    }),
    { numRuns: Number(process.env.PROPERTY_CASES ?? 30) },
  );
});

/** After a conflict, DynamoDB reports no failed condition, so our own check of it has to agree with DynamoDB's. */
test.each([
  [249, "recorded"],
  [250, "its message has 250 delivery attempts already"],
])("After a conflict, one more attempt than %d is %s", async (num_attempts, outcome) => {
  const message = await stored();
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: headKey(account_id, message.id),
      UpdateExpression: "SET num_attempts = :count",
      ExpressionAttributeValues: { ":count": num_attempts },
    }),
  );
  let conflicts = 1;
  const inConflict = interceptedTable(table, ({ constructor: { name }, input }, proceed) => {
    if (name !== "TransactWriteCommand" || conflicts-- === 0) return proceed();
    const CancellationReasons = (input.TransactItems as object[]).map(() => ({ Code: "TransactionConflict" }));
    throw new TransactionCanceledException({ message: "", $metadata: {}, CancellationReasons });
  });

  const recorded = recordEvent(message, attempted(noon), noon, inConflict);

  expect(await recorded.catch(({ message }) => message)).toBe(outcome);
});

test("A delivery attempt's log and status are cut at 1,000 bytes, and never inside a character", async () => {
  const message = await stored();

  await recordEvent(message, attempted(noon, `${"a".repeat(998)}€`, "é".repeat(501)));
  await recordEvent(message, attempted(noon + 1, "€".repeat(333), `${"a".repeat(999)}é`));

  expect((await read(message)).delivery_attempts).toMatchObject([
    { log: "a".repeat(998), status: "é".repeat(500) },
    { log: "€".repeat(333), status: "a".repeat(999) },
  ]);
});
