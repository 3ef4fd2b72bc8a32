import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { markStored, readMarker } from "../../../../lib/messages/marker.ts";
import type { NewMessage } from "../../../../lib/messages/new-message.ts";
import { deleteMessage } from "../../../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { personKey } from "../../../../lib/table/keys.ts";
import { transact } from "../../../../lib/table/transact.ts";
import { interceptedTable } from "../../../harness/intercepted-table.ts";
import {
  day,
  itemsOf,
  loseSegment,
  newMessage,
  noon,
  opened,
  recordEvent,
  segmentItemsOf,
  table,
} from "../../../harness/service.ts";
import { failingAfter, readMessage } from "../stored-message.ts";

/** Random bytes do not compress, so this email has three segments. */
const raw = Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), randomBytes(700_000)]);

const store = async (fields: Partial<NewMessage> = {}): Promise<NewMessage> => {
  const message = newMessage({ account_id: randomUUID(), ...fields });
  await storeMessage(table, message, raw, noon);
  return message;
};

describe("Deleting a message", () => {
  const tombstone = {
    pk: expect.any(String),
    sk: "HEAD",
    content_digest: expect.any(String),
    expires_at: (noon - day) / 1000,
  };
  /** TTL would delete this tombstone only if it had expired less than five years ago. */
  const unending = {
    sk: "HEAD",
    person: personKey("ada@example.org"),
    created_at: "LEFTOVER#2096-11-20T12:00:00.000Z",
    expires_at: 1,
  };

  test("leaves only a tombstone, even if the delete was interrupted and called again", async () => {
    const message = await store();
    await expect(deleteMessage(failingAfter("DeleteCommand", 1), message, noon)).rejects.toThrow("power cut");
    expect(await readMessage(message)).toBeNull();
    expect((await itemsOf(message))[0]).toMatchObject(unending);

    expect(await deleteMessage(table, message, noon)).toBe("completed");

    expect(await itemsOf(message)).toEqual([tombstone]);
    expect(await deleteMessage(table, message, noon)).toBe("gone");
  });

  test("doesn't end another deletion, which was interrupted", async () => {
    const message = await store();
    let puts = 0;
    const slow = interceptedTable(table, async ({ constructor: { name } }, proceed) => {
      if (name === "PutCommand" && ++puts === 2) {
        await expect(deleteMessage(failingAfter("PutCommand", 1), message, noon)).rejects.toThrow("power cut");
      }
      return proceed();
    });

    expect(await deleteMessage(slow, message, noon)).toBe("deleted");

    expect(await itemsOf(message)).toEqual([expect.objectContaining(unending)]);
  });

  test("reads one segment, whatever the size of the message", async () => {
    const message = newMessage({ account_id: randomUUID() });
    await storeMessage(table, message, randomBytes(2_000_000), noon);
    let units = 0;
    const counted = interceptedTable(table, async ({ constructor: { name } }, proceed) => {
      const output = Object(await proceed());
      if (/Get|Query/.test(name)) units += output.ConsumedCapacity.CapacityUnits;
      return output;
    });

    await deleteMessage(counted, message, noon);

    expect(units).toBeLessThan(50); // 4,858 for 25 MB if all segments are listed
    expect(await segmentItemsOf(message)).toEqual([]);
  });

  test("writes nothing for an id that the account never had, so that a later message can have it", async () => {
    const message = newMessage({ account_id: randomUUID() });

    expect(await deleteMessage(table, message, noon)).toBe("unknown");

    expect(await itemsOf(message)).toEqual([]);
    expect(await readMarker(table, message)).toBeUndefined();
  });

  test("blocks an unknown id if it is forced to", async () => {
    const message = newMessage({ account_id: randomUUID() });

    expect(await deleteMessage(table, message, noon, { force: true })).toBe("gone");

    expect(await readMarker(table, message)).toMatchObject({ deleted_at: expect.any(String) });
  });

  test("deletes the segments of a message whose store was interrupted", async () => {
    const message = newMessage({ account_id: randomUUID() });
    await expect(storeMessage(failingAfter("PutCommand", 2), message, raw, noon)).rejects.toThrow();

    expect(await deleteMessage(table, message, noon)).toBe("completed");

    expect(await itemsOf(message)).toEqual([tombstone]);
  });

  test("counts what an interrupted store has left once, if two calls delete it at the same time", async () => {
    const message = newMessage({ account_id: randomUUID() });
    await expect(storeMessage(failingAfter("PutCommand", 2), message, raw, noon)).rejects.toThrow();
    const bothHaveListed = Promise.withResolvers<void>();
    const deleting = new Set<number>();
    const remove = (caller: number) => {
      const holding = interceptedTable(table, async ({ constructor: { name } }, proceed) => {
        if (name !== "DeleteCommand") return proceed();
        if (deleting.add(caller).size === 2) bothHaveListed.resolve();
        await bothHaveListed.promise;
        return proceed();
      });
      return deleteMessage(holding, message, noon);
    };

    const outcomes = await Promise.all([1, 2].map(remove));

    expect(outcomes.toSorted()).toEqual(["completed", "gone"]);
    expect(await itemsOf(message)).toEqual([tombstone]);
  });

  test("marks a message that has expired and was purged, because a marker shows that it existed", async () => {
    const message = newMessage({ account_id: randomUUID() });
    await transact(table, [markStored(table, message, noon / 1000)]);

    expect(await deleteMessage(table, message, noon)).toBe("gone");

    expect(await readMarker(table, message)).toEqual(expect.objectContaining({ deleted_at: expect.any(String) }));
    expect(await readMarker(table, message)).not.toHaveProperty("expires_at");
  });
});

describe("Deleting the content of a message", () => {
  test("keeps all other fields", async () => {
    const message = await store({ tags: ['"content":', ',"content":'] });
    await recordEvent(message, opened);
    const before = await readMessage(message);

    expect(await removeContent(table, message, noon + 1000)).toBe(true);

    const after = { updated_at: new Date(noon + 1000).toISOString(), content: null, content_parsed: null };
    expect(await readMessage(message)).toEqual({ ...before, ...after });
    expect(await segmentItemsOf(message)).toEqual([]);
    expect(JSON.stringify(await itemsOf(message))).not.toContain(raw.toString("base64", 0, 30));
  });

  test("is completed by a second call after an interruption", async () => {
    const message = await store();
    await expect(removeContent(failingAfter("DeleteCommand", 1), message, noon)).rejects.toThrow("power cut");
    expect((await readMessage(message))?.content).toBeNull();

    expect(await removeContent(table, message, noon)).toBe(true);

    expect(await segmentItemsOf(message)).toEqual([]);
  });

  test("works on a damaged message", async () => {
    const message = await store();
    await loseSegment(message, 0);

    expect(await removeContent(table, message, noon)).toBe(true);

    expect((await readMessage(message))?.content).toBeNull();
    expect(await segmentItemsOf(message)).toEqual([]);
  });

  test("returns false for a message that has expired or does not exist", async () => {
    const message = await store({ retain_until: new Date(noon + day) });

    expect(await removeContent(table, message, noon + day)).toBe(false);
    expect(await removeContent(table, { ...message, id: randomUUID() }, noon)).toBe(false);
  });
});
