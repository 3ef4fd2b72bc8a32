/** The query parameter `fields`. */
import { randomBytes, randomUUID } from "node:crypto";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { messageFields } from "../../../lib/messages/fields.ts";
import { Message } from "../../../lib/messages/message.ts";
import { slice } from "../../../lib/messages/read/body.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { captureOutput } from "../../harness/captured-output.ts";
import { type Command, interceptedTable } from "../../harness/intercepted-table.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

const account_id = randomUUID();
const newId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const subject = `${"Größer ".repeat(10_000)},"content_parsed":`;
const messages = [
  ["small", newId(1)],
  ["large", newId(2)],
  ["without content", newId(3)],
  ["with a long subject", newId(4)],
  ["with a long subject, large", newId(5)],
  ["with a long subject, without content", newId(6)],
] as const;

beforeAll(async () => {
  const small = Buffer.from('Subject: Hi\r\n\r\n,"content_parsed":{"parts":[]}');
  const large = Buffer.concat([small, randomBytes(700_000)]);
  const raws = [small, large, null, small, large, null];
  for (const [n, raw] of raws.entries()) {
    const fields = n < 3 ? { reference_message_id: 9223372036854775807n } : { subject, tags: ['"content":'] };
    await storeMessage(table, newMessage({ account_id, id: newId(n + 1), ...fields }), raw, noon);
  }
});

let url: string;
let secret: string;
beforeEach(async () => {
  url = await startService();
  ({ secret } = await newKey({ account_id }));
});

const get = async (id: string, query = "", coding = "identity"): Promise<Buffer> => {
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    const headers = { ...bearer(secret), "Accept-Encoding": coding };
    request(`${url}/v2/accounts/${account_id}/messages/${id}${query}`, { headers })
      .once("response", resolve)
      .once("error", reject)
      .end();
  });
  const body = await buffer(response);
  expect([response.statusCode, response.headers["content-encoding"] ?? "identity"]).toEqual([200, coding]);
  return decoders[coding]?.(body) ?? body;
};

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** Returns the whole response with the other fields removed. An int64 keeps its digits. */
const without = (whole: Buffer, fields: readonly string[]): string => {
  const all: object = JSON.parse(whole.toString(), (name, value, { source = "" }: { source?: string } = {}) =>
    name === "reference_message_id" ? JSON.rawJSON(source) : value,
  );
  return JSON.stringify(Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name))));
};

test("The names of the fields are those of the Message object, in order", () => {
  expect(messageFields).toEqual(Object.keys(Message.shape));
});

const subsets = fc
  .shuffledSubarray([...messageFields], { minLength: 1 })
  .chain((fields) =>
    fc.tuple(
      fc.constant(fields),
      fc.constantFrom([], ["content"], ["content_parsed"], ["content", "content_parsed"], messageFields),
    ),
  )
  .map(([some, more]) => [...some.filter((name) => !name.startsWith("content")), ...more])
  .filter((fields) => fields.length > 0);

test.each(messages)(
  "Selected fields equal the whole response without the other fields, in each coding: %s",
  async (_, id) => {
    const whole = await get(id);
    await fc.assert(
      fc.asyncProperty(subsets, fc.constantFrom("identity", "zstd", "br", "gzip"), async (fields, coding) => {
        const body = await get(id, `?fields=${fields.join(",")}`, coding);

        expect(body.toString() === without(whole, fields)).toBe(true);
      }),
      { numRuns: Math.ceil(Number(process.env.PROPERTY_CASES ?? 30) / 4) },
    );
  },
);

describe("The query parameter fields", () => {
  const rule = "fields must list fields of the Message object, separated by commas";

  test.each([
    ["?fields=", `${rule}, but is empty`],
    ["?fields", `${rule}, but is empty`],
    ["?fields=status,nope", `${rule}, but contains "nope"`],
    ["?fields=status,", `${rule}, but contains ""`],
    ["?fields=Status", `${rule}, but contains "Status"`],
    ["?fields=status,%20tags", `${rule}, but contains " tags"`],
    ["?fields=__proto__", `${rule}, but contains "__proto__"`],
    ["?fields=constructor", `${rule}, but contains "constructor"`],
    [`?fields=${"x".repeat(4000)}`, `${rule}, but contains "${"x".repeat(50)}"`],
    ["?fields=status&fields=tags", "fields must be given only once"],
    ["?fields=status&fields=status", "fields must be given only once"],
  ])("is rejected if it is not a list of known fields: %s", async (query, message) => {
    const response = await call(`${url}/v2/accounts/${account_id}/messages/${newId(1)}${query}`, {
      headers: bearer(secret),
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message });
  });

  test.each([
    ["a repeated name counts once", "?fields=status,status", '{"status":"sent"}'],
    ["the order is that of the whole response", "?fields=status,object", '{"object":"message","status":"sent"}'],
    ["commas may be encoded", "?fields=object%2Cstatus", '{"object":"message","status":"sent"}'],
    ["other parameters are ignored", "?status=1&fields=status&field=x", '{"status":"sent"}'],
    ["a field that the message does not have is absent", "?fields=bounce_classification", "{}"],
  ])("selects the fields of the response (%s)", async (_, query, body) => {
    expect((await get(newId(1), query)).toString()).toBe(body);
  });

  test("causes no server error with 10,000 names", async () => {
    const query = `?fields=${"id,".repeat(10_000)}id`;
    const { status } = await call(`${url}/v2/accounts/${account_id}/messages/${newId(1)}${query}`, {
      headers: bearer(secret),
    });

    expect(status).toBeLessThan(500);
  });

  test("does not change which key may read the message", async () => {
    const status = async (scope: string) => {
      const key = await newKey({ account_id, scopes: [scope] });
      const path = `${url}/v2/accounts/${account_id}/messages/${newId(2)}?fields=status`;
      return (await call(path, { headers: bearer(key.secret) })).status;
    };

    expect(await status("messages:read:{example.com}")).toBe(200);
    expect(await status("messages:read:{example.net}")).toBe(403);
  });

  test("is in the request log", async () => {
    const output = captureOutput();
    url = await startService();

    await get(newId(1), "?fields=status,tags,status");
    const [line] = await output.requests();

    expect(line).toMatchObject({ status: 200, query: { fields: ["status", "tags"] } });
  });
});

/** Serves a table, and returns the calls that it receives. */
const watchCalls = async (): Promise<Command[]> => {
  const commands: Command[] = [];
  const watched = interceptedTable(table, (command, proceed) => {
    commands.push(command);
    return proceed();
  });
  url = await startService(() => noon, watched);
  return commands;
};

test("Without content, one call reads the message, whatever the size of the message", async () => {
  const commands = await watchCalls();

  for (const fields of ["status", "num_attempts", "delivery_attempts"]) await get(newId(3), `?fields=${fields}`);

  const calls = commands.map((command) => command.constructor.name);
  const ofHead = ["GetCommand", "GetCommand"]; // of the API key and of the message
  expect(calls).toEqual([...ofHead, ...ofHead, "GetCommand", "QueryCommand"]);
});

test("A part of the content is the same, however the content is cut", async () => {
  const json = Buffer.from('"tags":[],"content":"a","content_parsed":null}');
  const [from, to] = [json.indexOf('"content":'), json.indexOf(',"content_parsed":')];
  const cut = async function* (size: number, bytes = json) {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  };
  for (let size = 1; size <= json.length; size++) {
    expect(await buffer(slice(cut(size), from, to))).toEqual(Buffer.from('"content":"a"'));
    expect(await buffer(slice(cut(size), 0, json.length))).toEqual(json);
    const short = json.subarray(0, -1);
    await expect(buffer(slice(cut(size, short), 0, json.length))).rejects.toThrow("incomplete");
  }
});
