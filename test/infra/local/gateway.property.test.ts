/** Any bytes over a socket get a response of the contract. The response is never a 5xx. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { operations } from "../../../lib/http/operations.ts";
import type { Parameter } from "../../../lib/http/parameters.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { decoded, expectContract } from "../../harness/any-response.ts";
import { body, headersFor, requestCount, seed, segmentFor } from "../../harness/hostile-request.ts";
import { exchange } from "../../harness/raw-http.ts";
import { newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

const { account_id, secret } = await newKey();
const message = newMessage({ account_id });
await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello"), noon);
const known = { account_id, secret, message_id: message.id };

/** `text` has one character per byte. `isWhole` means that the server can find the end of the request. */
type RawRequest = { text: string; isWhole: boolean };

/** Chooses one of some usual values in most cases, otherwise one of the unusual values. */
const mostly = (weight: number, usual: fc.Arbitrary<string>, unusual: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...unusual) });

/** The paths of all operations, with ids of stored items and with hostile segments. */
const paths = operations.map(({ path, pathParameters }) => {
  const ids: Record<string, string> = known;
  const examples = Object.entries<Parameter<unknown>>(pathParameters);
  const segments = examples.map(([name, { example }]) => segmentFor(ids[name] ?? example));
  const names = examples.map(([name]) => `{${name}}`);
  return fc
    .tuple(...segments)
    .map((values) => names.reduce((filled, name, n) => filled.replace(name, () => values[n] ?? ""), path));
});

const odd = "/ // //x * /v2 http://evil.example/ ? /?a=%ff&__proto__=1 /\u00e9".split(" ");
const target = fc.oneof(
  { weight: 21, arbitrary: mostly(6, fc.oneof(...paths), odd) },
  fc.string({ unit: "grapheme-ascii" }),
);

const otherMethods = "HEAD PUT DELETE OPTIONS PATCH TRACE CONNECT PROPFIND PRI".split(" ");
const method = mostly(4, fc.constantFrom("GET", "POST"), [
  ...otherMethods,
  ...["get", "G ET", "", "\0", "X".repeat(100)],
]);

/** Ways to mark the end of a body. Only the first three are correct. */
const framings = {
  length: (text: string) => `Content-Length: ${text.length}\r\n\r\n${text}`,
  chunks: (text: string) =>
    `Transfer-Encoding: chunked\r\n\r\n${text && `${text.length.toString(16)}\r\n${text}\r\n`}0\r\n\r\n`,
  none: () => "\r\n",
  short: (text: string) => `Content-Length: ${text.length + 7}\r\n\r\n${text}`,
  long: (text: string) => `Content-Length: ${text.length >> 1}\r\n\r\n${text}`,
  both: (text: string) => `Content-Length: ${text.length}\r\nTransfer-Encoding: chunked\r\n\r\n${text}`,
  twice: (text: string) => `Content-Length: ${text.length}\r\nContent-Length: 1\r\n\r\n${text}`,
  negative: (text: string) => `Content-Length: -1\r\n\r\n${text}`,
  gzip: (text: string) => `Transfer-Encoding: gzip\r\n\r\n${text}`,
  noChunks: (text: string) => `Transfer-Encoding: chunked\r\n\r\n${text}`,
  open: (text: string) => text,
};
const wholeFramings = new Set<keyof typeof framings>(["length", "chunks", "none"]);

const framing = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<keyof typeof framings>("length", "chunks", "none") },
  { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(framings) as (keyof typeof framings)[])) },
);

const oddVersions = "HTTP/1.0|HTTP/2.0|HTTP/0.9|HTTP/1.1 ||http/1.1".split("|");

const requests = (host: string): fc.Arbitrary<RawRequest> =>
  fc
    .record({
      method,
      target,
      version: mostly(12, fc.constant("HTTP/1.1"), oddVersions),
      host: mostly(12, fc.constant(`Host: ${host}\r\n`), [
        ...["", "Host: evil.example\r\n", "Host:\r\n", `Host: ${host}\r\nHost: x\r\n`],
      ]),
      headers: headersFor(known),
      framing,
      body: body.map((text) => Buffer.from(text).toString("latin1")),
      newline: mostly(20, fc.constant("\r\n"), ["\n", "\r"]),
    })
    .map(({ headers, newline, ...request }) => {
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      const head = `${request.method} ${request.target} ${request.version}\r\n${request.host}${lines}`;
      const text = `${head}${framings[request.framing](request.body)}`;
      const isUsual =
        newline === "\r\n" && request.version === "HTTP/1.1" && !/[\0\r]/.test(lines.replaceAll("\r\n", ""));
      return {
        text: newline === "\r\n" ? text : text.replaceAll("\r\n", newline),
        isWhole: isUsual && wholeFramings.has(request.framing),
      };
    });

test("Any request over a socket gets a response of the contract", {
  timeout: 120_000 + requestCount * 100,
}, async () => {
  const url = await startService();
  const atOnce = 10;
  const met = new Map<number, number>();

  const holds = async ({ text, isWhole }: RawRequest): Promise<void> => {
    const response = await exchange(url, Buffer.from(text, "latin1"), isWhole ? {} : { hangUpAfter: 5 });
    if (response === null) return expect(isWhole, `${JSON.stringify(text)} has no response`).toBe(false);
    met.set(response.status, (met.get(response.status) ?? 0) + 1);
    const body = text.startsWith("HEAD ")
      ? null
      : decoded(Buffer.from(response.body, "latin1"), response.headers.get("content-encoding"));
    try {
      expectContract(response.status, Object.fromEntries(response.headers), body);
    } catch (cause) {
      throw new Error(`${JSON.stringify(text)} gets ${response.status}: ${response.body}`, { cause });
    }
  };
  const batches = fc.array(requests(new URL(url).host), { minLength: atOnce, maxLength: atOnce });
  const property = fc.asyncProperty(batches, async (all) => {
    await Promise.all(all.map(holds));
  });
  await fc.assert(property, { seed, numRuns: Math.ceil(requestCount / atOnce), endOnFailure: true });

  // The requests must reach the later checks, too. Rarer statuses need more requests.
  expect([...met.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 415]));
});
