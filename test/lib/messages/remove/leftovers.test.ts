/** What stores, replacements and deletes leave behind if they are interrupted, or run at the same time. */
import { randomBytes, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTable } from "../../../../infra/local/create-table.ts";
import { applyEvent } from "../../../../lib/events/apply-events.ts";
import type { StoredEvent } from "../../../../lib/events/event.ts";
import { keyOfSegment } from "../../../../lib/messages/content/pages.ts";
import type { MessageRef } from "../../../../lib/messages/message-ref.ts";
import type { NewMessage } from "../../../../lib/messages/new-message.ts";
import { findMessage } from "../../../../lib/messages/read/find-message.ts";
import { deleteMessage } from "../../../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { messagePartition } from "../../../../lib/table/keys.ts";
import type { Table } from "../../../../lib/table/table.ts";
import { type Command, interceptedTable } from "../../../harness/intercepted-table.ts";
import { newMessage, noon, table } from "../../../harness/service.ts";
import { readMessage } from "../stored-message.ts";

/** A scan reads a whole table, so each scan gets a table with one message. */
const newTable = async (): Promise<Table> => {
  const name = `leftovers-${randomUUID()}`;
  await createTable(name);
  return { ...table, name };
};

/** Random bytes do not compress, so this email has two segments: one beside the head, and one page. */
const raw = Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), randomBytes(150_000)]);

const create = (): NewMessage => newMessage({ account_id: randomUUID(), subject: "Grüße" });

/** Returns the keys of all segments that have not expired, also of those that no item names. */
const segmentsIn = async ({ name }: Table, { account_id, id }: MessageRef): Promise<string[]> => {
  const scan = paginateScan(
    { client: DynamoDBDocumentClient.from(new DynamoDBClient()) },
    {
      TableName: name,
      FilterExpression: "begins_with(pk, :own) AND begins_with(sk, :segment) AND expires_at > :now",
      ExpressionAttributeValues: {
        ":own": messagePartition(account_id, id),
        ":segment": "SEGMENT#",
        ":now": noon / 1000,
      },
      ProjectionExpression: "pk, sk",
    },
  );
  const keys: string[] = [];
  for await (const { Items = [] } of scan) keys.push(...Items.map(({ pk, sk }) => `${pk} ${sk}`));
  return keys.toSorted();
};

/** Returns the keys of the segments that a message needs. */
const neededSegments = async (table: Table, message: NewMessage): Promise<string[]> => {
  const found = await findMessage(table, message.account_id, message.id, noon, { withContent: false });
  if (!found) return [];
  const keys = Array.from({ length: found.head.segments }, (_, index) => keyOfSegment(message, found.head, index));
  return keys.map(({ pk, sk }) => `${pk} ${sk}`).toSorted();
};

type Act = (table: Table, message: NewMessage) => Promise<unknown>;
const acts = {
  store: (table, message) => storeMessage(table, message, raw, noon),
  record: (table, { account_id, ...message }) => {
    const event = { type: "message.stored", id: "1", account_id, message, raw_email: "1.eml" };
    return applyEvent(table, event as StoredEvent, async () => raw, noon);
  },
  "remove content": (table, message) => removeContent(table, message, noon),
  delete: (table, message) => deleteMessage(table, message, noon),
} satisfies Record<string, Act>;

const cutAfter = (table: Table, calls: number): { table: Table; wasCut: () => boolean } => {
  let left = calls;
  const cut = interceptedTable(table, (_, proceed) => {
    if (left-- <= 0) throw new Error("power cut");
    return proceed();
  });
  return { table: cut, wasCut: () => left < 0 };
};

const expired = { retain_until: new Date(noon - 1000) };
test.each<[string, Act, Act?]>([
  ["Storing a message", acts.store],
  [
    "Storing a message in the place of an expired one",
    acts.store,
    (table, message) => storeMessage(table, { ...message, ...expired }, randomBytes(300_000), noon - 2000),
  ],
  [
    "Storing a message in the place of a deleted one",
    acts.store,
    async (table, message) => {
      await acts.store(table, message);
      await acts.delete(table, message);
    },
  ],
  ["Recording a message", acts.record],
  ["Removing the content of a message", acts["remove content"], acts.store],
  ["Deleting a message", acts.delete, acts.store],
  [
    "Deleting a message whose store was interrupted",
    acts.delete,
    (table, message) => acts.store(cutAfter(table, 4).table, message).catch(() => {}),
  ],
])("%s leaves no segment behind if it is interrupted after any call and repeated", async (_, act, before) => {
  for (let calls = 0, wasCut = true; wasCut; calls++) {
    const [table, message] = [await newTable(), create()];
    await before?.(table, message);
    const cut = cutAfter(table, calls);
    await act(cut.table, message).catch(() => {});
    wasCut = cut.wasCut();

    await act(table, message);

    expect(await segmentsIn(table, message)).toEqual(await neededSegments(table, message));
  }
});

type Actor = { calls: (() => Promise<unknown>)[]; isDone: boolean };

/** Turns of the event loop after which an actor without a call is taken to wait for another actor's writes. */
const quietTurns = 200;

/**
 * Runs several functions at the same time. As soon as each of them waits for a call of the table, `choose` selects the
 * call that is sent next. Without this order, the speed of the functions would decide. At most three segments are written
 * at once, so a function may also have to wait until another one's call is sent.
 */
const interleave = async (
  table: Table,
  acts: ((table: Table) => Promise<unknown>)[],
  choose: () => number,
): Promise<void> => {
  const actors: Actor[] = acts.map(() => ({ calls: [], isDone: false }));
  const ended = acts.map(async (act, index) => {
    const { calls = [] } = actors[index] ?? {};
    const delayed = interceptedTable(
      table,
      (_, proceed) => new Promise((resolve, reject) => calls.push(() => proceed().then(resolve, reject))),
    );
    await act(delayed).finally(() => Object.assign(actors[index] ?? {}, { isDone: true }));
  });
  const allEnded = Promise.all(ended);
  allEnded.catch(() => {}); // It is awaited only when the last actor is done.
  let turns = 0;
  for (let acting = actors; acting.length > 0; acting = actors.filter(({ isDone }) => !isDone)) {
    const waiting = acting.filter(({ calls }) => calls.length > 0);
    if (waiting.length === acting.length || (waiting.length > 0 && turns > quietTurns)) {
      const { calls = [] } = waiting[choose() % waiting.length] ?? {};
      const [call] = calls.splice(choose() % calls.length, 1);
      await call?.();
      turns = 0;
    }
    turns++;
    await setImmediate();
  }
  await allEnded;
};

test("Stores, removals and deletes of one message at the same time leave it whole or nothing of it", async () => {
  const names = fc.array(fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])), {
    minLength: 2,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(5)), fc.boolean(), names, async (choices, isStored, names) => {
      const [table, message] = [await newTable(), create()];
      if (isStored) await acts.store(table, message);

      await interleave(
        table,
        names.map((name) => (table) => acts[name](table, message)),
        () => choices.next().value,
      );

      const read = await readMessage(message, noon, table);
      if (read) expect(read.subject).toBe(message.subject);
      if (read && read.content !== null) expect(read.content).toBe(raw.toString("latin1"));
      if (!names.includes("delete") && (isStored || names.includes("store"))) expect(read).not.toBeNull();
      expect(await segmentsIn(table, message)).toEqual(await neededSegments(table, message));
    }),
    { numRuns: Number(process.env.PROPERTY_CASES ?? 10) },
  );
});

describe("A call that is held back leaves the segments of another call alone", () => {
  /** The table, on which the first call that `isIt` selects waits for `release`, before it is made or after it. */
  const holding = (isIt: (command: Command) => boolean, when: "before" | "after" = "before") => {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let isHeld = false;
    const held = interceptedTable(table, async (command, proceed) => {
      if (isHeld || !isIt(command)) return proceed();
      isHeld = true;
      const output = when === "after" && (await proceed());
      reached.resolve();
      await released.promise;
      return output || proceed();
    });
    return { table: held, isReached: reached.promise, release: released.resolve };
  };
  const isTransaction = ({ constructor: { name } }: Command) => name === "TransactWriteCommand";
  const isUpdate = ({ constructor: { name } }: Command) => name === "UpdateCommand";

  test("if a message is recorded and is deleted meanwhile", async () => {
    const message = create();
    const { account_id, ...fields } = message;
    const event = { type: "message.stored", id: "1", account_id, message: fields, raw_email: "1.eml" };
    const recording = holding(isTransaction);

    const recorded = applyEvent(recording.table, event as StoredEvent, async () => raw, noon);
    await recording.isReached;
    await deleteMessage(table, message, noon, { force: true });
    recording.release();

    expect(await recorded).toBe("expired");
    expect(await storeMessage(table, message, raw, noon)).toBe("deleted");
    expect(await segmentsIn(table, message)).toEqual([]);
  });

  test("if two remove the content", async () => {
    const message = create();
    await acts.store(table, message);
    const [first, second] = [holding(isUpdate, "after"), holding(isUpdate)];

    const removed = removeContent(first.table, message, noon);
    await first.isReached;
    const removedAgain = removeContent(second.table, message, noon);
    await second.isReached;
    first.release();
    await removed;
    second.release();

    expect([await removed, await removedAgain]).toEqual([true, true]);
    expect(await readMessage(message)).toMatchObject({ subject: message.subject, content: null });
  });
});
