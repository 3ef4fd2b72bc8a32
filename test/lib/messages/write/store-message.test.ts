import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import type { NewMessage } from "../../../../lib/messages/new-message.ts";
import { findMessage } from "../../../../lib/messages/read/find-message.ts";
import { RejectedError } from "../../../../lib/messages/rejected-error.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { segmentKey } from "../../../../lib/table/keys.ts";
import { startFaultyEngine } from "../../../harness/faulty-engine.ts";
import { interceptedTable } from "../../../harness/intercepted-table.ts";
import { randomEmail } from "../../../harness/sample-email.ts";
import { attempted, day, itemsOf, newMessage, noon, opened, recordEvent, table } from "../../../harness/service.ts";
import { failingAfter, readMessage } from "../stored-message.ts";

const account_id = randomUUID();
const message = (fields: Partial<NewMessage> = {}) => newMessage({ account_id, ...fields });
const hello = Buffer.from("Subject: Hello\r\n\r\nHello");
const raw = randomEmail(600_000);

describe("Storing a message", () => {
  test("returns 'stored' for a new message, and changes nothing if it is stored again", async () => {
    const one = message();
    expect(await storeMessage(table, one, hello, noon)).toBe("stored");
    await recordEvent(one, opened);
    const before = await itemsOf(one);

    const other = { ...one, subject: "Other", status: "other" };
    expect(await storeMessage(table, other, hello, noon + 1000)).toBe("there already");

    expect(await itemsOf(one)).toEqual(before);
  });

  test.each([
    ["the same email", raw],
    ["another email", randomEmail(600_000)],
  ])("that was interrupted leaves nothing to read, and then stores %s", async (_, interrupted) => {
    const one = message();

    await expect(storeMessage(failingAfter("PutCommand", 2), one, interrupted, noon)).rejects.toThrow("power cut");
    const between = await readMessage(one);
    await storeMessage(table, one, raw, noon);

    expect(between).toBeNull();
    expect((await readMessage(one))?.content).toBe(raw.toString("latin1"));
  });

  test("succeeds once if two calls store the same message at the same time", async () => {
    const one = message();

    const areNew = await Promise.all([1, 2].map(() => storeMessage(table, one, raw, noon)));

    expect(areNew.toSorted()).toEqual(["stored", "there already"]);
    expect((await readMessage(one))?.content).toBe(raw.toString("latin1"));
  });

  test("succeeds for one of two emails that have the same id, and rejects the other email", async () => {
    const one = message();
    const raws = [raw, randomEmail(600_000)];

    const outcomes = await Promise.allSettled(raws.map((raw) => storeMessage(table, one, raw, noon)));

    const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
    const rejected = outcomes[1 - winner] as PromiseRejectedResult;
    const reason = `a message with another email has the id ${one.id}`;
    expect(rejected.reason).toEqual(new RejectedError(reason));
    expect((await readMessage(one))?.content).toBe(raws[winner]?.toString("latin1"));
  });

  test("of two emails that differ only behind the first bytes of their segments keeps the two apart", async () => {
    const one = message();
    const bothAreWritten = Promise.withResolvers<void>();
    let heads = 0;
    const holding = interceptedTable(table, async ({ input }, proceed) => {
      if (!("TransactItems" in input)) return proceed();
      if (++heads === 2) bothAreWritten.resolve();
      await bothAreWritten.promise;
      return proceed();
    });
    const raws = ["A", "B"].map((end) => Buffer.from(`Subject: Hello\r\n\r\n${"Hello ".repeat(9)}${end}`));

    const outcomes = await Promise.allSettled(raws.map((raw) => storeMessage(holding, one, raw, noon)));

    const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
    expect((await readMessage(one))?.content).toBe(raws[winner]?.toString());
  });

  test("with another retention at the same time leaves no segment that expires before its head", async () => {
    const one = message();
    const longer = { ...one, retain_until: new Date(noon + 60 * day) };

    await Promise.all([storeMessage(table, one, raw, noon), storeMessage(table, longer, raw, noon)]);

    const found = await findMessage(table, account_id, one.id, noon);
    const stored = (await itemsOf(one)).filter(({ sk }) => sk.includes(found?.head.content_digest ?? "-"));
    expect(stored).toHaveLength(1 + (found?.head.segments ?? 0)); // and the list of its pages
    expect(stored.map(({ expires_at }) => expires_at)).toEqual(stored.map(() => found?.head.expires_at));
  });

  test.each([
    ["before", "0"],
    ["behind", "f"],
  ])("is not disturbed by a segment of an interrupted call that sorts %s its segments", async (_, digit) => {
    const one = message();
    const key = segmentKey(account_id, one.id, digit.repeat(64), 0);
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, bytes: randomBytes(100_000) } }));

    await storeMessage(table, one, raw, noon);

    expect((await readMessage(one))?.content).toBe(raw.toString("latin1"));
  });

  test("replaces an expired message with the same id that the table has not purged", async () => {
    const one = message({ retain_until: new Date(noon + 10_000) });
    await storeMessage(table, one, randomEmail(600_000), noon);
    await recordEvent(one, attempted(noon, "250 OK"));
    const other = { ...one, retain_until: new Date(noon + 60_000) };

    expect(await storeMessage(table, other, hello, noon + 10_000)).toBe("stored");

    const read = await readMessage(one, noon + 10_000);
    expect(read).toMatchObject({ content: hello.toString(), num_attempts: 0, delivery_attempts: [] });
  });

  test("is not disturbed by more segments of an expired message with the same id", async () => {
    const one = message({ retain_until: new Date(noon + 10_000) });
    await storeMessage(table, one, randomBytes(1_000_000), noon);
    const raw = randomBytes(150_000);

    await storeMessage(table, { ...one, retain_until: new Date(noon + 60_000) }, raw, noon + 10_000);

    expect((await itemsOf(one)).filter(({ expires_at }) => expires_at > noon / 1000 + 10)).toHaveLength(4);
    expect((await readMessage(one, noon + 10_000))?.content).toBe(raw.toString("latin1"));
  });

  test("of 40 MiB keeps every byte, and rejects one byte more before anything is written", async () => {
    const line = Buffer.from(`${randomBytes(57).toString("base64")}\r\n`);
    const raw = Buffer.alloc(40 * 1024 * 1024, line);
    raw.write("Subject: Large\r\n\r\n");
    const one = message();
    const larger = message();

    await storeMessage(table, one, raw, noon);
    const rejected = storeMessage(table, larger, Buffer.concat([raw, Buffer.from("x")]), noon);

    await expect(rejected).rejects.toThrow("the email has 41943041 bytes, but at most 41943040 (40 MiB) are stored");
    expect(await itemsOf(larger)).toEqual([]);
    const stored = await readMessage(one);
    expect(stored?.content === raw.toString("latin1")).toBe(true);
  }, 120_000);

  test.each([
    ["id", "x", "must be a UUID"],
    ["direction", "sideways", "must be incoming or outgoing"],
    ["retain_until", "tomorrow", "must be a Date, or ISO 8601 with an offset"],
    ["retain_until", "9999-12-31T23:59:59-01:00", "must be between the years 0000 and 9999 in UTC"],
    ["sent_at", "0000-01-01T00:00:00+00:01", "must be between the years 0000 and 9999 in UTC"],
    ["delivered_at", new Date(8.64e15), "must be between the years 0000 and 9999 in UTC"],
    ["tags", "one", "must be an array of strings"],
    ["reference_message_id", 2n ** 63n, "must be a bigint of at most 64 bits"],
    ["sender", "Ada <ada@example.com>", "must be an email address (RFC 5321, RFC 6531), without a display name"],
    ["recipient", "undisclosed-recipients:;", "must be an email address"],
    ["subject", "\ud800", "must not contain half a surrogate pair"],
    ["message_id", "<\udc00@example.com>", "must not contain half a surrogate pair"],
    ["tags", ["\udc00"], "must not contain half a surrogate pair"],
    ["tags", Array(101).fill("x"), "must have at most 100 tags"],
    ["tags", ["x".repeat(256)], "must have at most 255 characters"],
    ["recipient", `${"x".repeat(320)}@example.com`, "must have at most 320 characters"],
    ["status", "x".repeat(1001), "must have at most 1000 characters"],
    ["bounce_classification", "\ud800", "must not contain half a surrogate pair"],
  ])("rejects a wrong field, and names the field (%s: %s)", async (name, value, rule) => {
    const one = { ...message(), [name]: value } as NewMessage;

    const rejected = storeMessage(table, one, hello, noon);

    await expect(rejected).rejects.toThrow(RejectedError);
    await expect(rejected).rejects.toThrow(new RegExp(`^${name}\\S* ${rule.replaceAll(/[()]/g, "\\$&")}`));
    if (name !== "id") expect(await itemsOf(one)).toEqual([]);
  });

  test("accepts an address of 320 characters, which include the quotes that it needs", async () => {
    const [local, host] = ["x".repeat(66), `${"x".repeat(63)}.`.repeat(3) + "x".repeat(61)];
    const sender = `${local}@${host}`;
    expect(sender).toHaveLength(320);
    const quotable = (characters: number) => `${"x".repeat(characters - 1)}.@${host}`;

    expect(await storeMessage(table, message({ sender }), null, noon)).toBe("stored");
    expect(await storeMessage(table, message({ sender: quotable(64) }), null, noon)).toBe("stored");
    await expect(storeMessage(table, message({ sender: quotable(65) }), null, noon)).rejects.toThrow("sender must be");
  });

  test("cuts a long subject and Message-ID, which are whole in the content", async () => {
    const one = message({ subject: `${"x".repeat(1999)}🌍`, message_id: `<${"x".repeat(9000)}@example.com>` });

    await storeMessage(table, one, hello, noon);

    expect(await readMessage(one)).toMatchObject({
      subject: "x".repeat(1999),
      message_id: `<${"x".repeat(1999)}`,
    });
  });

  test("needs less than 100 KB for the longest head", async () => {
    const words = "€".repeat(1000);
    const one = message({
      subject: "€".repeat(2000),
      message_id: "€".repeat(2000),
      tags: Array(100).fill("€".repeat(255)),
      status: words,
      bounce_classification: words,
    });

    await storeMessage(table, one, null, noon);
    const items = await itemsOf(one);

    expect(items).toHaveLength(1);
    expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(100_000);
  });

  test("stores retain_until in whole seconds, as in the TTL attribute", async () => {
    const one = message({ retain_until: "2096-12-01T08:00:00.999+01:00" });

    await storeMessage(table, one, hello, noon);

    expect((await readMessage(one))?.retain_until).toBe("2096-12-01T07:00:00.000Z");
    const expiries = (await itemsOf(one)).map(({ expires_at }) => expires_at);
    expect(expiries).toEqual([4005183600, 4005183600]);
  });
});

describe("Storing a message in a throttled table", () => {
  /** The SDK makes three attempts for each call, and two segments are written at once. So this is more than it makes. */
  const throttled = 8;
  /** Fails the puts that follow the first `before`. */
  const failing = async (error: string, before = 0) => {
    const engine = await startFaultyEngine();
    let puts = 0;
    const isDue = () => puts++ >= before && puts <= before + throttled;
    engine.failWith((called) => (called === "PutItem" && isDue() ? { error } : undefined));
    return engine;
  };

  test.for(["ProvisionedThroughputExceededException", "ThrottlingException", "TransactionConflictException"])(
    "succeeds after %s, and writes each item once",
    async (error) => {
      const { table: busy, calls } = await failing(error, 1); // The first put is the first segment.
      const one = message();

      expect(await storeMessage(busy, one, randomEmail(600_000), noon)).toBe("stored");

      expect((await readMessage(one))?.id).toBe(one.id);
      const items = await itemsOf(one);
      expect(calls.filter(({ operation }) => operation === "PutItem")).toHaveLength(items.length - 1 + throttled); // A transaction puts the head.;
    },
  );

  test("fails at once after an error that a retry does not mend", async () => {
    const { table: broken, calls } = await failing("AccessDeniedException");

    await expect(storeMessage(broken, message(), hello, noon)).rejects.toThrow("AccessDeniedException");

    expect(calls.filter(({ operation }) => operation === "PutItem")).toHaveLength(1);
  });

  test("starts no further write of a segment after one has failed", async () => {
    let writes = 0;
    const broken = interceptedTable(table, ({ input }, proceed) => {
      const { bytes, person } = Object(input.Item);
      if (!bytes || person) return proceed();
      writes++;
      throw new Error("power cut");
    });

    await expect(storeMessage(broken, message(), randomEmail(1_200_000), noon)).rejects.toThrow("power cut");

    expect(writes).toBe(2); // of four, because two begin together
  });

  test.each([
    [2, "one message", 1],
    [3, "all messages", 2],
  ])("writes at most %i segments of %s at the same time", async (limit, _, messages) => {
    const allAreWritten = Promise.withResolvers<void>();
    let writes = 0;
    let most = 0;
    const slow = interceptedTable(table, async ({ input }, proceed) => {
      const { bytes, person } = Object(input.Item);
      if (!bytes || person) return proceed(); // The first segment is written alone.
      writes += 1;
      most = Math.max(most, writes);
      if (writes === limit) allAreWritten.resolve();
      await allAreWritten.promise;
      await sleep(100); // gives one write more the time to begin
      return proceed().finally(() => {
        writes -= 1;
      });
    });
    const store = () => storeMessage(slow, message(), randomEmail(1_200_000), noon);

    await Promise.all(Array.from({ length: messages }, store));

    expect(most).toBe(limit);
  });
});
