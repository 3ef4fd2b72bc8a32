import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { BatchGetCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inPlaceBase64 } from "../../../lib/table/in-place-base64.ts";
import { openTable } from "../../../lib/table/table.ts";
import { BrokenResponseError } from "../../../lib/table/whole-response.ts";
import { listen } from "../../harness/listen.ts";
import { table } from "../../harness/service.ts";

const store = async (attributes: object): Promise<{ pk: string; sk: string }> => {
  const key = { pk: randomUUID(), sk: "BINARY" };
  await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, ...attributes } }));
  return key;
};

const read = async (Key: { pk: string; sk: string }) => {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
  const { pk, sk, ...attributes } = Item ?? {};
  return attributes;
};

/** Texts that look like binary values or placeholders. */
const misleading = fc.constantFrom('{"B":"', '{"B":"AAAA"}', '"', "#0", "\\", '\\"B":"', "B");

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: fc.oneof(misleading, fc.string({ unit: "grapheme", maxLength: 1 })) }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("B", "S", "#0", '{"B":"', "bytes"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

test("Returns stored texts and bytes unchanged, at every level of nesting", async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ B: value, bytes: value, text: value }), async (attributes) => {
      expect(await read(await store(attributes))).toEqual(attributes);
    }),
  );
});

test.for([0, 1, 2, 3, 49_151, 49_152, 49_153, 98_304, 190_000])("Returns %i bytes unchanged", async (length) => {
  const bytes = Buffer.alloc(length, "A message of bytes; ");
  const { once, again } = await read(await store({ once: bytes, again: [{ bytes }] }));

  expect(bytes.equals(once)).toBe(true);
  expect(bytes.equals(again[0].bytes)).toBe(true);
});

test("Does not mix up responses that arrive at the same time", async () => {
  const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(30_000 + index, index));
  const keys = await Promise.all(contents.map((bytes) => store({ bytes })));
  const items = await Promise.all(keys.map(read));
  const { Responses } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys: keys } } }),
  );
  const together = (Responses?.[table.name] ?? []).toSorted((a, b) => a.bytes.length - b.bytes.length);

  for (const found of [items, together]) {
    expect(found.map(({ bytes }, index) => contents[index]?.equals(bytes))).toEqual(Array(20).fill(true));
  }
});

test("Frees the values of a response that is not JSON", async () => {
  const { streamCollector, base64Decoder } = inPlaceBase64();
  const response = `{"Item":{"bytes":{"B":"${Buffer.from("Hello").toString("base64")}"},`;

  const collected = await streamCollector?.(Readable.from([Buffer.from(response)]));
  const name = /"B":"(.*?)"/.exec(Buffer.from(collected ?? []).toString())?.[1] ?? "";

  expect(Buffer.from(base64Decoder?.(name) ?? []).toString()).toBe("Hello");
  await setImmediate();
  expect(() => base64Decoder?.(name)).toThrow("after its response was parsed");
});

test.for([
  ["text that is not base64", '{"Item":{"bytes":{"B":"AA\\/A"}}}'],
  ["text that only has the length of base64", '{"Item":{"bytes":{"B":"AAAAAAAAA\\nA"}}}'],
  ["half a quartet", '{"Item":{"bytes":{"B":"AAAAAA"}}}'],
  ["the beginning of a value", '{"Item":{"bytes":{"B":"AAAA'],
] as const)("A response with %s is rejected", async ([, response]) => {
  const server = createServer((request, reply) => request.resume().on("end", () => reply.end(response)));
  const port = await listen(server);
  const { client, name } = openTable({ endpoint: `http://127.0.0.1:${port}` });

  const reading = client.send(new GetCommand({ TableName: name, Key: { pk: "a", sk: "b" } }));

  await expect(reading).rejects.toThrow(BrokenResponseError);
});
