import { randomBytes, randomUUID } from "node:crypto";
import { DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { findMessage } from "../../lib/messages/find.ts";
import { storeMessage } from "../../lib/messages/store.ts";
import { memberKey, segmentKey } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { type Fault, type FaultyEngine, startFaultyEngine } from "../faulty-engine.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../service.ts";

type Key = Awaited<ReturnType<typeof newKey>>;

let engine: FaultyEngine;
let url: string;
let key: Key;
beforeEach(async () => {
  engine = await startFaultyEngine({ delay: 10 });
  url = await startService(undefined, engine.table);
  key = await newKey();
});

const unavailable = { message: "The service is temporarily unavailable: please try again" };

const transactions = (fault: Parameters<FaultyEngine["failWith"]>[0]) =>
  engine.failWith((operation) => (operation === "TransactWriteItems" ? fault(operation) : undefined));

/** The same fault for the first calls, none for those that follow. */
const first = <T>(times: number, fault: T) => {
  let left = times;
  return () => (left-- > 0 ? fault : undefined);
};

const conflict = {
  error: "TransactionCanceledException",
  fields: { CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }, { Code: "None" }] },
};

describe("Adding a member", () => {
  const newRequest = () => {
    const headers = {
      ...bearer(key.secret),
      "Content-Type": "application/json",
      "Idempotency-Key": randomUUID(),
    };
    const body = JSON.stringify({ email: `${randomUUID()}@example.com`, role: "Developer" });
    return () => call(`${url}/v2/accounts/${key.account_id}/members`, { method: "POST", headers, body });
  };

  const members = async () => {
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": memberKey(key.account_id, "").pk },
        ConsistentRead: true,
      }),
    );
    return Items.map(({ id }) => id);
  };

  const expectFirst = async (response: Response) => {
    expect(response.status).toBe(201);
    expect(response.headers.has("idempotent-replayed")).toBe(false);
    const { id } = (await response.json()) as { id: string };
    expect(await members()).toEqual([id]);
  };

  test("takes two round trips: both reads together, then one transaction", async () => {
    const add = newRequest();

    await expectFirst(await add());

    expect(engine.calls.map(({ operation }) => operation)).toEqual([
      "GetItem",
      "GetItem",
      "TransactWriteItems",
    ]);
    expect(engine.calls.map(({ alongside }) => alongside).toSorted()).toEqual([0, 0, 1]);
  });

  test("answers as if nothing had happened when one answer is lost after the commit", async () => {
    transactions(first(1, "lost after"));

    await expectFirst(await newRequest()());
  });

  test("replays on retry when every answer was lost after the commit", async () => {
    const add = newRequest();
    transactions(() => "lost after");
    const lost = await add();
    engine.failWith(() => undefined);

    const retried = await add();

    expect(lost.status).toBe(503);
    expect(lost.headers.get("retry-after")).toBe("1");
    expect(await lost.json()).toEqual(unavailable);
    expect(retried.status).toBe(201);
    expect(retried.headers.get("idempotent-replayed")).toBe("true");
    const { id } = (await retried.json()) as { id: string };
    expect(await members()).toEqual([id]);
  });

  test("answers as if nothing had happened when the connection is cut once before the commit", async () => {
    transactions(first(1, "cut before"));

    await expectFirst(await newRequest()());
  });

  test("writes nothing while the connection is cut before the commit, and once on retry", async () => {
    const add = newRequest();
    transactions(() => "cut before");
    const cut = await add();
    expect(await members()).toEqual([]);
    engine.failWith(() => undefined);

    await expectFirst(await add());

    expect(cut.status).toBe(503);
  });

  test("waits out conflicts with other transactions", async () => {
    transactions(first(4, conflict));

    await expectFirst(await newRequest()());
  });

  test("tells the caller to come back when conflicts do not end, and writes nothing", async () => {
    transactions(() => conflict);

    const response = await newRequest()();

    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await members()).toEqual([]);
  });

  test("waits for its own transaction when that is still in progress", async () => {
    transactions(first(4, { error: "TransactionInProgressException" }));

    await expectFirst(await newRequest()());
  });

  test("counts a try whose answer was lost as made, though it hears of it late: this is no replay", async () => {
    const faults: Fault[] = ["lost after", ...Array(4).fill({ error: "TransactionInProgressException" })];
    transactions(() => faults.shift());

    await expectFirst(await newRequest()());
  });

  test("answers 503 while the table is throttled, and a later retry with the key succeeds", async () => {
    const add = newRequest();
    engine.failWith(() => ({ error: "ThrottlingException" }));
    const throttled = await add();
    engine.failWith(() => undefined);

    await expectFirst(await add());

    expect(throttled.status).toBe(503);
    expect(throttled.headers.get("retry-after")).toBe("1");
    expect(await throttled.json()).toEqual(unavailable);
  });

  test("answers 503 when the transaction is throttled item by item", async () => {
    const reasons = [{ Code: "ThrottlingError" }, { Code: "None" }, { Code: "None" }];
    transactions(() => ({ error: "TransactionCanceledException", fields: { CancellationReasons: reasons } }));

    expect((await newRequest()()).status).toBe(503);
  });

  test("answers 500 without detail when DynamoDB refuses for a reason that no retry mends", async () => {
    const reasons = [
      { Code: "ValidationError", Message: "secret detail" },
      { Code: "None" },
      { Code: "None" },
    ];
    transactions(() => ({ error: "TransactionCanceledException", fields: { CancellationReasons: reasons } }));

    const response = await newRequest()();

    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "Internal server error" });
    expect(response.headers.has("retry-after")).toBe(false);
  });

  test("keeps the user whom someone else creates between the read and the write", async () => {
    const other = await newKey();
    const body = JSON.stringify({ email: `${randomUUID()}@example.com`, role: "Developer" });
    const addTo = ({ account_id, secret }: Key) =>
      call(`${url}/v2/accounts/${account_id}/members`, {
        method: "POST",
        headers: { ...bearer(secret), "Content-Type": "application/json" },
        body,
      });

    const [here, there] = await Promise.all([addTo(key), addTo(other)]);

    expect([here.status, there.status]).toEqual([201, 201]);
    const { user_id } = (await here.json()) as { user_id: string };
    expect(await there.json()).toMatchObject({ user_id });
  });
});

describe("Getting a message", () => {
  const stored = async (raw: Buffer | null = Buffer.from("Subject: Hello\r\n\r\nHello")) => {
    const message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, raw, noon);
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

  test.each(["identity", "gzip", "br", "zstd"])(
    "breaks off, instead of looking complete, when a segment is gone (%s)",
    async (encoding) => {
      const message = await stored(randomBytes(3_000_000));
      await table.client.send(
        new DeleteCommand({ TableName: table.name, Key: segmentKey(key.account_id, message.id, 6) }),
      );

      const response = await get(message.id, { "Accept-Encoding": encoding });

      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
    },
  );
});

describe("An eventually consistent read that lags behind", () => {
  /** A table whose eventually consistent Queries have not heard of some items yet. */
  const lagging = (knows: (item: Record<string, unknown>) => boolean): Table => ({
    name: table.name,
    client: {
      send: (async (command: QueryCommand) => {
        const output = await table.client.send(command);
        if (!command.input.ConsistentRead) output.Items = output.Items?.filter(knows);
        return output;
      }) as never,
    },
  });

  test.each([
    ["nothing of the message", () => false],
    ["only its head", ({ sk }: Record<string, unknown>) => sk === "HEAD"],
    ["not its first segment", ({ sk }: Record<string, unknown>) => sk !== "SEGMENT#00000"],
    ["not a segment in its midst", ({ sk }: Record<string, unknown>) => sk !== "SEGMENT#00004"],
  ])("and knows %s still gives all of it", async (_, knows) => {
    const message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, randomBytes(3_000_000), noon);
    const bytesOf = async (from: Table) => {
      const chunks: Uint8Array[] = [];
      const found = await findMessage(from, key.account_id, message.id, noon);
      for await (const chunk of found?.segments() ?? []) chunks.push(chunk);
      return Buffer.concat(chunks);
    };

    expect((await bytesOf(lagging(knows))).equals(await bytesOf(table))).toBe(true);
  });
});
