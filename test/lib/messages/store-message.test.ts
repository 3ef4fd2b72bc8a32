import { randomBytes, randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { messageBody } from "../../../lib/messages/body.ts";
import { findMessage } from "../../../lib/messages/find.ts";
import type { Message, NewMessage } from "../../../lib/messages/message.ts";
import { MessageRejectedError, storeMessage } from "../../../lib/messages/store-message.ts";
import { headKey, segmentKey } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { startFaultyEngine } from "../../harness/faulty-engine.ts";
import {
  attempted,
  day,
  itemsOf,
  newMessage,
  noon,
  opened,
  recordEvent,
  table,
} from "../../harness/service.ts";

const account_id = randomUUID();
const message = (fields: Partial<NewMessage> = {}) => newMessage({ account_id, ...fields });
const hello = Buffer.from("Subject: Hello\r\n\r\nHello");

const read = async ({ id }: { id: string }, now = noon): Promise<Message | null> => {
  const found = await findMessage(table, account_id, id, now);
  if (!found) return null;
  const chunks: Buffer[] = await messageBody(found).toArray();
  return JSON.parse(Buffer.concat(chunks).toString());
};

/** The table, on which writing fails from the given put on. */
const failingAfter = (puts: number): Table => {
  let left = puts;
  return {
    name: table.name,
    client: {
      send: (async (command: { constructor: { name: string } }) => {
        if (command.constructor.name === "PutCommand" && left-- <= 0) throw new Error("power cut");
        return table.client.send(command as never);
      }) as never,
    },
  };
};

describe("Storing a message", () => {
  test("answers that it is new, once; repeating changes nothing", async () => {
    const one = message();
    expect(await storeMessage(table, one, hello, noon)).toBe(true);
    await recordEvent(one, opened);
    const before = await itemsOf(one);

    expect(await storeMessage(table, { ...one, subject: "Other", status: "other" }, hello, noon + 1000)).toBe(
      false,
    );

    expect(await itemsOf(one)).toEqual(before);
  });

  test("refuses an id that a message with other content has, and changes nothing", async () => {
    const one = message();
    await storeMessage(table, one, hello, noon);
    const before = await itemsOf(one);

    await expect(storeMessage(table, one, Buffer.from("Subject: Other\r\n\r\n"), noon)).rejects.toThrow(
      `a message with another email has the id ${one.id}`,
    );

    expect(await itemsOf(one)).toEqual(before);
  });

  test("interrupted between two writes leaves nothing that can be read, and succeeds when repeated", async () => {
    const one = message();
    const raw = randomBytes(1_500_000);

    await expect(storeMessage(failingAfter(2), one, raw, noon)).rejects.toThrow("power cut");
    const between = await read(one);
    await storeMessage(table, one, raw, noon);

    expect(between).toBeNull();
    expect((await read(one))?.content).toBe(raw.toString("latin1"));
  });

  test("interrupted between two writes does not block the id for an email with other content", async () => {
    const one = message();
    const raw = randomBytes(1_500_000);

    await expect(storeMessage(failingAfter(2), one, randomBytes(1_500_000), noon)).rejects.toThrow();
    await storeMessage(table, one, raw, noon);

    expect((await read(one))?.content).toBe(raw.toString("latin1"));
  });

  test("twice at once stores it once", async () => {
    const one = message();
    const raw = randomBytes(1_500_000);

    const news = await Promise.all([
      storeMessage(table, one, raw, noon),
      storeMessage(table, one, raw, noon),
    ]);

    expect(news.toSorted()).toEqual([false, true]);
    expect((await read(one))?.content).toBe(raw.toString("latin1"));
  });

  test("at once with another email under its id: one of the two is stored, and the other is refused", async () => {
    const one = message();
    const raws = [randomBytes(1_500_000), randomBytes(1_500_000)];

    const outcomes = await Promise.allSettled(raws.map((raw) => storeMessage(table, one, raw, noon)));

    const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
    const refused = outcomes[1 - winner] as PromiseRejectedResult;
    expect(refused.reason).toEqual(
      new MessageRejectedError(`a message with another email has the id ${one.id}`),
    );
    expect((await read(one))?.content).toBe(raws[winner]?.toString("latin1"));
  });

  test("at once with a longer retention, under one id, leaves no segment that expires before its head", async () => {
    const one = message();
    const raw = randomBytes(1_500_000);
    const longer = { ...one, retain_until: new Date(noon + 60 * day) };

    await Promise.all([storeMessage(table, one, raw, noon), storeMessage(table, longer, raw, noon)]);

    const found = await findMessage(table, account_id, one.id, noon);
    const segments = (await itemsOf(one)).filter(({ sk }) => sk.includes(found?.head.content_digest ?? "-"));
    expect(segments.map(({ expires_at }) => expires_at)).toEqual(
      Array.from({ length: found?.head.segments ?? 0 }, () => found?.head.expires_at),
    );
  });

  test.each([
    ["before", "0"],
    ["behind", "f"],
  ])("is whole though a try that broke off has left a segment that sorts %s its own", async (_, digit) => {
    const one = message();
    const raw = randomBytes(1_500_000);
    const key = segmentKey(account_id, one.id, digit.repeat(64), 0);
    await table.client.send(
      new PutCommand({ TableName: table.name, Item: { ...key, bytes: randomBytes(100_000) } }),
    );

    await storeMessage(table, one, raw, noon);

    expect((await read(one))?.content).toBe(raw.toString("latin1"));
  });

  test("whose time has passed makes room for another with its id, before the table has purged it", async () => {
    const one = message({ retain_until: new Date(noon + 10_000) });
    await storeMessage(table, one, randomBytes(1_500_000), noon);
    const other = { ...one, retain_until: new Date(noon + 60_000) };

    expect(await storeMessage(table, other, hello, noon + 10_000)).toBe(true);

    expect((await read(one, noon + 10_000))?.content).toBe(hello.toString());
  });

  test("is whole though an expired one with its id has left more segments than it has itself", async () => {
    const one = message({ retain_until: new Date(noon + 10_000) });
    await storeMessage(table, one, randomBytes(3_000_000), noon);
    const raw = randomBytes(150_000);

    await storeMessage(table, { ...one, retain_until: new Date(noon + 60_000) }, raw, noon + 10_000);

    expect((await itemsOf(one)).filter(({ expires_at }) => expires_at > noon / 1000 + 10)).toHaveLength(3);
    expect((await read(one, noon + 10_000))?.content).toBe(raw.toString("latin1"));
  });

  test("of 40 MiB keeps every byte; of one byte more is refused before anything is written", async () => {
    const line = Buffer.from(`${randomBytes(57).toString("base64")}\r\n`);
    const raw = Buffer.alloc(40 * 1024 * 1024, line);
    raw.write("Subject: Large\r\n\r\n");
    const one = message();
    const larger = message();

    await storeMessage(table, one, raw, noon);
    const refused = storeMessage(table, larger, Buffer.concat([raw, Buffer.from("x")]), noon);

    await expect(refused).rejects.toThrow(
      "the email has 41943041 bytes, but at most 41943040 (40 MiB) are stored",
    );
    expect(await itemsOf(larger)).toEqual([]);
    const stored = await read(one);
    expect(stored?.content === raw.toString("latin1")).toBe(true);
  }, 30_000);

  test.each([
    ["id", "x", "must be a UUID"],
    ["direction", "sideways", "must be incoming or outgoing"],
    ["retain_until", "tomorrow", "must be a Date, or ISO 8601 with an offset"],
    ["retain_until", "9999-12-31T23:59:59-01:00", "must be between the years 0000 and 9999 in UTC"],
    ["sent_at", "0000-01-01T00:00:00+00:01", "must be between the years 0000 and 9999 in UTC"],
    ["delivered_at", new Date(8.64e15), "must be between the years 0000 and 9999 in UTC"],
    ["tags", "one", "must be an array of strings"],
    ["reference_message_id", 2n ** 63n, "must be a bigint of at most 64 bits"],
    [
      "sender",
      "Ada <ada@example.com>",
      "must be an email address (RFC 5321, RFC 6531), without a display name",
    ],
    ["recipient", "undisclosed-recipients:;", "must be an email address"],
    ["subject", "\ud800", "must not contain half a surrogate pair"],
    ["message_id", "<\udc00@example.com>", "must not contain half a surrogate pair"],
    ["tags", ["\udc00"], "must not contain half a surrogate pair"],
    ["status", "x".repeat(1001), "must have at most 1000 characters"],
    ["bounce_classification", "\ud800", "must not contain half a surrogate pair"],
  ])("refuses a field that is not what it should be, and names it (%s: %s)", async (name, value, rule) => {
    const one = { ...message(), [name]: value } as NewMessage;

    const refused = storeMessage(table, one, hello, noon);

    await expect(refused).rejects.toThrow(MessageRejectedError);
    await expect(refused).rejects.toThrow(new RegExp(`^${name}\\S* ${rule.replaceAll(/[()]/g, "\\$&")}`));
    if (name !== "id") expect(await itemsOf(one)).toEqual([]);
  });

  const long = `Größer ${"x".repeat(500_000)}`;
  test.each([
    ["message_id", `<${long}@example.com>`],
    ["subject", `${long} "quoted" 🌍`],
    ["tags", Array.from({ length: 100_000 }, (_, n) => `tag ${n}`)],
    ["sender", `"${long}"@example.com`],
    ["recipient", `ada+${"x".repeat(500_000)}@example.org`],
  ])(
    "keeps a %s that is longer than an item, and room for 300 KB of delivery attempts",
    async (name, value) => {
      const one = message({ [name]: value });

      await storeMessage(table, one, hello, noon);
      for (let n = 0; n < 3; n++) await recordEvent(one, attempted(noon, "x".repeat(100_000)));

      const { retain_until: _, ...fields } = one;
      expect(await read(one)).toMatchObject({ ...fields, content: hello.toString(), num_attempts: 3 });
    },
  );

  test("keeps a long subject of an email that is not available", async () => {
    const one = message({ subject: long });

    await storeMessage(table, one, null, noon);

    expect(await read(one)).toMatchObject({ subject: long, content: null, content_parsed: null });
  });

  test("keeps all that a message may say in a head of less than 60 KB", async () => {
    const words = "€".repeat(1000);
    const one = message({ subject: "x".repeat(49_000), status: words, bounce_classification: words });

    await storeMessage(table, one, null, noon);
    const items = await itemsOf(one);

    expect(items).toHaveLength(1);
    expect(JSON.stringify(items).length).toBeLessThan(60_000);
  });

  test("keeps retain_until in whole seconds, which the TTL attribute says, too", async () => {
    const one = message({ retain_until: "2096-12-01T08:00:00.999+01:00" });

    await storeMessage(table, one, hello, noon);

    expect((await read(one))?.retain_until).toBe("2096-12-01T07:00:00.000Z");
    const expiries = (await itemsOf(one)).map(({ expires_at }) => expires_at);
    expect(expiries).toEqual([4005183600, 4005183600]);
  });
});

describe("On a table that turns writes away for a while", () => {
  /** The SDK tries a call three times: this is more than it does for all segments together. */
  const turnedAway = 20;
  const failing = async (error: string, operation: string) => {
    const engine = await startFaultyEngine();
    let left = turnedAway;
    engine.failWith((called) => (called === operation && left-- > 0 ? { error } : undefined));
    return engine;
  };

  test.for(["ProvisionedThroughputExceededException", "ThrottlingException", "TransactionConflictException"])(
    "a message is stored in spite of %s, and nothing that is written is written again",
    async (error) => {
      const { table: busy, calls } = await failing(error, "PutItem");
      const one = message();

      expect(await storeMessage(busy, one, randomBytes(1_000_000), noon)).toBe(true);

      expect((await read(one))?.id).toBe(one.id);
      const items = await itemsOf(one);
      expect(calls.filter(({ operation }) => operation === "PutItem")).toHaveLength(
        items.length + turnedAway,
      );
    },
  );

  test("what is not for a while ends it at once", async () => {
    const { table: broken, calls } = await failing("AccessDeniedException", "PutItem");

    await expect(storeMessage(broken, message(), hello, noon)).rejects.toThrow("AccessDeniedException");

    expect(calls.filter(({ operation }) => operation === "PutItem")).toHaveLength(1);
  });

  test("of all that are stored at once, eight segments are on their way", async () => {
    const engine = await startFaultyEngine();
    const several = Array.from({ length: 12 }, () => message());

    await Promise.all(several.map((one) => storeMessage(engine.table, one, randomBytes(1_000_000), noon)));

    const alongside = engine.calls
      .filter(({ operation }) => operation === "PutItem")
      .map(({ alongside }) => alongside);
    expect(Math.max(...alongside)).toBeLessThan(12 + 8);
  });
});

describe("A message in the table", () => {
  test("is a partition of its own, whose items all expire with it", async () => {
    const one = message();
    await storeMessage(table, one, randomBytes(1_000_000), noon);

    const items = await itemsOf(one);

    expect(items[0]).toMatchObject(headKey(account_id, one.id));
    const [, digest] = items[1]?.sk.split("#") ?? [];
    expect(items.map(({ sk }) => sk)).toEqual([
      "HEAD",
      ...items.slice(1).map((_, n) => `SEGMENT#${digest}#0000${n}`),
    ]);
    expect(new Set(items.map(({ expires_at }) => expires_at)).size).toBe(1);
  });

  test("without its head is not found, whatever segments are left", async () => {
    const one = message();
    await storeMessage(table, one, hello, noon);
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: headKey(account_id, one.id) }));

    expect(await read(one)).toBeNull();
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: headKey(account_id, one.id),
        UpdateExpression: "SET expires_at = :t",
        ExpressionAttributeValues: { ":t": 1 },
      }),
    );
    expect(await read(one)).toBeNull();
  });
});
