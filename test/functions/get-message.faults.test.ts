import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { removeContent } from "../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { captureOutput } from "../harness/captured-output.ts";
import { type Fault, type FaultyEngine, startFaultyService, unavailable } from "../harness/faulty-engine.ts";
import { interceptedTable } from "../harness/intercepted-table.ts";
import { randomEmail } from "../harness/sample-email.ts";
import {
  bearer,
  call,
  itemsOf,
  loseSegment,
  newKey,
  newMessage,
  noon,
  type StoredItem,
  startService,
  table,
} from "../harness/service.ts";

const key = await newKey();
const raw = randomEmail(3_000_000);
const large = newMessage({ account_id: key.account_id });
beforeAll(() => storeMessage(table, large, raw, noon));

let engine: FaultyEngine;
let url: string;
beforeEach(async () => {
  ({ engine, url } = await startFaultyService());
});

/** Asks for no compression, which would take most of the time. */
const contentOf = async (url: string, id: string): Promise<string | null> => {
  const response = await call(`${url}/v2/accounts/${key.account_id}/messages/${id}`, {
    headers: { ...bearer(key.secret), "Accept-Encoding": "identity" },
  });
  const { content } = (await response.json()) as { content: string | null };
  return content;
};

/** Serves a table whose Queries return other items. */
const startReading = (read: (items: StoredItem[], isConsistent: boolean) => StoredItem[]): Promise<string> => {
  const changed = interceptedTable(table, async ({ constructor: { name }, input }, proceed) => {
    const output = (await proceed()) as { Items?: StoredItem[] };
    if (name === "QueryCommand") output.Items = read(output.Items ?? [], input.ConsistentRead === true);
    return output;
  });
  return startService(undefined, changed);
};

describe("Getting a message", () => {
  const stored = async () => {
    const message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello"), noon);
    return message;
  };
  const get = (id: string, headers: Record<string, string> = {}) =>
    call(`${url}/v2/accounts/${key.account_id}/messages/${id}`, {
      headers: { ...bearer(key.secret), ...headers },
    });

  test("reads the key (strongly consistent) and the message at the same time", async () => {
    const { id } = await stored();
    const bothArrived = Promise.withResolvers<void>();
    const reads: unknown[] = [];
    const holding = interceptedTable(table, async ({ constructor: { name }, input }, proceed) => {
      reads.push([name, input.ConsistentRead]);
      if (reads.length === 2) bothArrived.resolve();
      await bothArrived.promise;
      return proceed();
    });
    url = await startService(undefined, holding);

    expect((await get(id)).status).toBe(200);

    expect(reads.toSorted()).toEqual([
      ["GetCommand", true],
      ["QueryCommand", false],
    ]);
  });

  /** Serves a table whose read of the API key takes longer than the first read of the message. */
  const startWithSlowKey = async () => {
    const reads: unknown[] = [];
    const messageRead = Promise.withResolvers<void>();
    const slow = interceptedTable(table, async ({ constructor: { name }, input }, proceed) => {
      if (name === "QueryCommand") {
        reads.push(input.ConsistentRead);
        const items = await proceed();
        messageRead.resolve();
        return items;
      }
      const apiKey = await proceed();
      await messageRead.promise;
      await setImmediate();
      reads.push("key");
      return apiKey;
    });
    url = await startService(undefined, slow);
    return reads;
  };

  test("reads a missing message again (strongly consistent) only after the key is found valid", async () => {
    const reads = await startWithSlowKey();

    expect((await get(randomUUID())).status).toBe(404);

    expect(reads).toEqual([false, "key", true]);
  });

  test.each([
    ["an unknown key", () => "emk_unknown"],
    ["another account's key", async () => (await newKey()).secret],
  ])("reads a missing message only once for %s, like an existing message", async (_, secretOf) => {
    const { id } = await stored();
    const secret = await secretOf();
    const reads = await startWithSlowKey();

    const responses = [await get(id, bearer(secret)), await get(randomUUID(), bearer(secret))];

    expect(responses.map(({ status }) => status)).toEqual([401, 401]);
    expect(reads).toEqual([false, "key", false, "key"]);
  });

  const internal = { status: 500, retryAfter: null, body: { message: "Internal server error" } };
  const busy = { status: 503, retryAfter: expect.stringMatching(/^[123]$/), body: unavailable };
  test.each<[Fault, typeof internal | typeof busy]>([
    [{ error: "ThrottlingException" }, busy],
    [{ error: "ProvisionedThroughputExceededException" }, busy],
    [{ error: "InternalServerError", status: 500 }, busy],
    ["cut before", busy],
    [{ error: "AccessDeniedException", fields: { message: "User arn:secret is not authorized" } }, internal],
  ])("responds to a fault of the table (%j) without details: %j", async (fault, expected) => {
    const { id } = await stored();
    engine.failWith(() => fault);

    const response = await get(id);

    expect({
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: await response.json(),
    }).toEqual(expected);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  test("responds with 503 after three tries of each call if every call of the table is silent or stalls", async () => {
    const { id } = await stored();
    const path = `/v2/accounts/${key.account_id}/messages/${id}`;
    const outcomeOf = async (fault: Fault) => {
      const { engine, url } = await startFaultyService({ timeoutMs: 500 });
      engine.failWith(() => fault);
      const { status } = await call(url + path, { headers: bearer(key.secret) });
      return { status, tries: engine.calls.map(({ operation }) => operation).toSorted() };
    };

    const outcomes = await Promise.all([outcomeOf("silent"), outcomeOf("stalls")]);

    const tries = ["GetItem", "GetItem", "GetItem", "Query", "Query", "Query"]; // In a function, 3 seconds each.
    const expected = { status: 503, tries };
    expect(outcomes).toEqual([expected, expected]);
  });

  test("sends all of a message of which one page fails once, or is throttled for longer than the SDK retries", async () => {
    /** The first Query returns the beginning of the message. */
    const contentIfQueriesFail = async (fault: Fault, first: number, last: number) => {
      const { engine, url } = await startFaultyService({ timeoutMs: 1000 });
      let queries = 0;
      const isDue = () => ++queries >= first && queries <= last;
      engine.failWith((operation) => (operation === "Query" && isDue() ? fault : undefined));
      return contentOf(url, large.id);
    };

    const contents = await Promise.all([
      contentIfQueriesFail("silent", 3, 3),
      contentIfQueriesFail("stalls", 3, 3),
      contentIfQueriesFail("cut before", 3, 3),
      contentIfQueriesFail({ error: "ThrottlingException" }, 2, 16),
    ]);

    expect(contents.map((content) => content === raw.toString("latin1"))).toEqual([true, true, true, true]);
  });

  test("responds with 401 to an invalid key, even if the read of the message fails", async () => {
    engine.failWith((operation) => (operation === "Query" ? { error: "AccessDeniedException" } : undefined));

    expect((await get(randomUUID(), bearer("emk_unknown"))).status).toBe(401);
  });

  describe("if a segment is missing", () => {
    const early = newMessage({ account_id: key.account_id });
    beforeAll(async () => {
      await storeMessage(table, early, randomEmail(600_000), noon);
      await loseSegment(early, 1);
    });

    test.each(["identity", "gzip", "br", "zstd"])("logs the status that the caller received (%s)", async (encoding) => {
      const output = captureOutput();
      url = await startService();

      const response = await get(`${early.id}?fields=id,content`, { "Accept-Encoding": encoding });

      await response.arrayBuffer().catch(() => {});
      expect(await output.requests()).toMatchObject([{ status: response.status, level: "ERROR" }]);
    });

    test.each(["identity", "gzip", "br", "zstd"])(
      "ends the connection, so that the response does not look complete (%s)",
      async (encoding) => {
        url = await startReading((items) => items.filter(({ sk }) => !sk.endsWith("#00008")));

        const headers = { ...bearer(key.secret), "Accept-Encoding": encoding };
        const sent = request(`${url}/v2/accounts/${key.account_id}/messages/${large.id}`, { headers }).end();
        const [response] = (await once(sent, "response")) as [IncomingMessage];

        expect(response.statusCode).toBe(200);
        await expect(buffer(response)).rejects.toThrow("aborted"); // `fetch` also fails to decode half a zstd frame.
      },
    );
  });
});

describe("An eventually consistent read that lags behind", () => {
  const startLagging = async (older: (items: StoredItem[]) => StoredItem[]) => {
    url = await startReading((items, isConsistent) => (isConsistent ? items : older(items)));
  };

  test.each([
    ["the message", () => false],
    ["all segments", (sk: string) => sk === "HEAD"],
    ["the first segment", (sk: string) => !sk.endsWith("#00000")],
    ["a segment in the middle", (sk: string) => !sk.endsWith("#00005")],
    ["the last segment", (sk: string) => !sk.endsWith("#00009")],
  ])("and misses %s does not change the response", async (_, has) => {
    await startLagging((items) => items.filter(({ sk }) => has(sk)));

    const content = await contentOf(url, large.id);

    expect(content === raw.toString("latin1")).toBe(true);
  });

  test("and returns a head with content that was removed since does not bring the content back", async () => {
    const message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello"), noon);
    const [before] = (await itemsOf(message)) as [StoredItem];
    await removeContent(table, message, noon);
    await startLagging((items) => items.map((item) => (item.sk === "HEAD" ? before : item)));

    expect(await contentOf(url, message.id)).toBeNull();
  });
});
