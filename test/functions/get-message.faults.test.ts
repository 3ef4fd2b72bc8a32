import { randomBytes, randomUUID } from "node:crypto";
import type { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findMessage } from "../../lib/messages/find.ts";
import { removeContent } from "../../lib/messages/remove.ts";
import { storeMessage } from "../../lib/messages/store-message.ts";
import type { Table } from "../../lib/table/table.ts";
import { type Fault, type FaultyEngine, startFaultyService, unavailable } from "../harness/faulty-engine.ts";
import { bearer, call, itemsOf, loseSegment, newKey, newMessage, noon, table } from "../harness/service.ts";

const key = await newKey();
const raw = randomBytes(3_000_000);
const large = newMessage({ account_id: key.account_id });
beforeAll(() => storeMessage(table, large, raw, noon));

let engine: FaultyEngine;
let url: string;
beforeEach(async () => {
  ({ engine, url } = await startFaultyService());
});

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

  test("reads the key, strongly consistently, and the message together, in one round trip", async () => {
    const { id } = await stored();

    expect((await get(id)).status).toBe(200);

    const calls = engine.calls.map(({ operation, consistent }) => `${operation} ${consistent}`);
    expect(calls.toSorted()).toEqual(["GetItem true", "Query false"]);
    expect(engine.calls.map(({ alongside }) => alongside).toSorted()).toEqual([0, 1]);
  });

  test.each([
    ["ThrottlingException", 400],
    ["ProvisionedThroughputExceededException", 400],
    ["InternalServerError", 500],
  ])("answers 503 when the table answers nothing but %s", async (error, status) => {
    const { id } = await stored();
    engine.failWith(() => ({ error, status }));

    const response = await get(id);

    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(unavailable);
  });

  test("answers 503 when the table can't be reached", async () => {
    const { id } = await stored();
    engine.failWith(() => "cut before");

    expect((await get(id)).status).toBe(503);
  });

  test.each(["silent", "stalls"] as const)(
    "answers 503 within the time that the function has, when every answer of the table %s",
    async (fault) => {
      const { id } = await stored();
      engine.failWith(() => fault);

      expect((await get(id)).status).toBe(503);

      const tries = engine.calls.map(({ operation }) => operation).toSorted();
      const threeSecondsEach = ["GetItem", "GetItem", "GetItem", "Query", "Query", "Query"];
      expect(tries).toEqual(threeSecondsEach); // the two side by side: 9 of the function's 29 seconds
    },
  );

  /** What befalls the Queries that follow the first one, which has the beginning of the message. */
  const laterQueries = (faultOf: (query: number) => Fault | undefined) => {
    let queries = 0;
    engine.failWith((operation) => (operation === "Query" ? faultOf(queries++) : undefined));
  };

  test.each([
    ["is not answered", (query: number) => (query === 2 ? "silent" : undefined)],
    ["stalls in mid-answer", (query: number) => (query === 2 ? "stalls" : undefined)],
    ["is cut off", (query: number) => (query === 2 ? "cut before" : undefined)],
    [
      "is throttled for longer than the SDK tries",
      (query: number) => (query > 0 && query < 16 ? { error: "ThrottlingException" } : undefined),
    ],
  ] as const)("sends all of a message of which one page %s", async (_, faultOf) => {
    laterQueries(faultOf);

    const { content } = (await (await get(large.id)).json()) as { content: string };

    expect(content === raw.toString("latin1")).toBe(true);
  });

  test("answers 500 without detail for anything else", async () => {
    const { id } = await stored();
    engine.failWith(() => ({
      error: "AccessDeniedException",
      fields: { message: "User arn:secret is not authorized" },
    }));

    const response = await get(id);

    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "Internal server error" });
  });

  test("tells a caller with a bad key of the key, even when the message can't be read", async () => {
    engine.failWith((operation) => (operation === "Query" ? { error: "AccessDeniedException" } : undefined));

    const response = await call(`${url}/v2/accounts/${key.account_id}/messages/${randomUUID()}`, {
      headers: bearer("emk_unknown"),
    });

    expect(response.status).toBe(401);
  });

  describe("when a segment is gone", () => {
    const torn = newMessage({ account_id: key.account_id });
    beforeAll(async () => {
      await storeMessage(table, torn, raw, noon);
      await loseSegment(torn, 8);
    });

    test.each(["identity", "gzip", "br", "zstd"])(
      "breaks off, instead of looking complete (%s)",
      async (encoding) => {
        const response = await get(torn.id, { "Accept-Encoding": encoding });

        expect(response.status).toBe(200);
        await expect(response.arrayBuffer()).rejects.toThrow();
      },
    );
  });
});

describe("An eventually consistent read that lags behind", () => {
  type Item = Record<string, unknown>;

  /** A table whose eventually consistent Queries see another state of it. */
  const lagging = (sees: (items: Item[]) => Item[]): Table => ({
    name: table.name,
    client: {
      send: (async (command: QueryCommand) => {
        const output = await table.client.send(command);
        if (!command.input.ConsistentRead) output.Items = sees(output.Items ?? []);
        return output;
      }) as never,
    },
  });

  const knowing = (knows: (sk: string) => boolean) => (items: Item[]) =>
    items.filter(({ sk }) => knows(String(sk)));

  test.each([
    ["knows nothing of the message", knowing(() => false)],
    ["knows only its head", knowing((sk) => sk === "HEAD")],
    ["does not know its first segment", knowing((sk) => !sk.endsWith("#00000"))],
    ["does not know a segment in its midst", knowing((sk) => !sk.endsWith("#00005"))],
    ["does not know its last segment", knowing((sk) => !sk.endsWith("#00009"))],
  ])("and %s still gives all of it", async (_, sees) => {
    const bytesOf = async (from: Table) => {
      const chunks: Uint8Array[] = [];
      const found = await findMessage(from, key.account_id, large.id, noon);
      for await (const chunk of found?.segments() ?? []) chunks.push(chunk);
      return Buffer.concat(chunks);
    };

    expect((await bytesOf(lagging(sees))).equals(await bytesOf(table))).toBe(true);
  });

  test("and still has the head of a message whose content was removed since is not believed", async () => {
    const message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello"), noon);
    const [before] = await itemsOf(message);
    await removeContent(table, message, noon);

    const found = await findMessage(
      lagging((items) => items.map((item) => (item.sk === "HEAD" ? { ...before } : item))),
      key.account_id,
      message.id,
      noon,
    );

    expect(found?.head.segments).toBe(0);
  });
});
