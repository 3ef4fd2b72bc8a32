/** A streamed response, and a reader who leaves or is too slow. */
import { Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createHandler } from "../../../functions/get-message.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { sendResponse } from "../../../lib/http/send.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { getMessageEvent } from "../../bench/events.ts";
import { captureOutput } from "../../harness/captured-output.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { randomEmail } from "../../harness/sample-email.ts";
import { newKey, newMessage, noon, table } from "../../harness/service.ts";

const minute = 60_000;

test("A reader who has left before the response begins does not hold the function", async () => {
  vi.stubGlobal("awslambda", { HttpResponseStream: { from: (stream: Writable) => stream } });
  const left = new Writable({ write: () => {} });
  left.destroy();
  await new Promise((resolve) => left.once("close", resolve));
  const body = Readable.from(["Hello"]);

  await sendResponse(left as awslambda.HttpResponseStream, { statusCode: 200, body }, minute);

  expect(body.destroyed).toBe(true);
});

test("The time of the first byte is not the last one's", async () => {
  vi.stubGlobal("awslambda", { HttpResponseStream: { from: (stream: Writable) => stream } });
  vi.useFakeTimers({ toFake: ["Date"], now: noon });
  const write = (_chunk: unknown, _encoding: string, done: () => void) => {
    vi.setSystemTime(Date.now() + 1000);
    done();
  };
  const body = Readable.from(["Hello", "world"]);

  const reader = new Writable({ write }) as awslambda.HttpResponseStream;
  const sent = await sendResponse(reader, { statusCode: 200, body }, minute);

  expect(sent).toEqual({ firstByteAt: noon + 1000, isReaderSlow: false });
});

test("A response ends 10 s before the function's timeout, and leaves no timer behind", async () => {
  vi.stubGlobal("awslambda", { HttpResponseStream: { from: (stream: Writable) => stream } });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const newReader = () => new Writable({ write: (_chunk, _encoding, done) => done() }) as awslambda.HttpResponseStream;
  const endless = new Readable({ read: () => {} });

  await sendResponse(newReader(), { statusCode: 200, body: "{}" }, minute);
  expect(vi.getTimerCount()).toBe(0);
  const sent = sendResponse(newReader(), { statusCode: 200, body: endless }, minute);
  vi.advanceTimersByTime(49_999);
  expect(endless.destroyed).toBe(false);
  vi.advanceTimersByTime(1);

  expect(endless.destroyed).toBe(true);
  expect(await sent).toMatchObject({ isReaderSlow: true });
});

/** Stores an email and reads it after a pause. Returns the request's log lines and the bytes of the body. */
const readAfter = async (email: Buffer, pauseMs: number, timeoutMilliseconds: number) => {
  const output = captureOutput();
  const key = await newKey();
  const message = newMessage({ account_id: key.account_id });
  await storeMessage(table, message, email, noon);
  const event = getMessageEvent(key, message.id);
  event.requestContext.requestTimeEpoch = Date.now() - minute;

  const { statusCode, body } = await invoke(
    createHandler(table, () => noon),
    event,
    { timeoutMilliseconds },
  );
  await sleep(pauseMs);
  const read = (await buffer(Readable.from(body))).toString();
  const [line] = await output.requests();
  return { statusCode, read, line, lines: output.lines() };
};

test("A reader who is too slow gets a part of the response, and is logged as a slow reader", async () => {
  // Control characters become 60 MB of JSON. A kernel may hold more than 32 MB of a response that nobody reads.
  const email = Buffer.alloc(5_000_000, "\u0001").fill("\n", 0, 1);

  const { statusCode, read, line, lines } = await readAfter(email, 4500, 14_000); // The response ends 10 seconds before the timeout.

  expect(statusCode).toBe(200);
  expect(() => JSON.parse(read)).toThrow();
  expect(line).toMatchObject({ level: "INFO", status: 200, slow_reader: true });
  expect(line).not.toHaveProperty("error");
  expect(lines.filter((one) => "ServerError" in one)).toEqual([]);
});

test("The log has the time from API Gateway's receipt of a request to the first byte of its stream", async () => {
  const { read, line } = await readAfter(Buffer.from("Subject: Hello\r\n\r\nHello"), 0, minute);

  expect(() => JSON.parse(read)).not.toThrow();
  expect(line.time_to_first_byte_ms).toBeGreaterThanOrEqual(minute);
  expect(line).not.toHaveProperty("slow_reader");
});

test("After a reader has left, no read of the message is tried again, in whatever coding", async () => {
  const output = captureOutput();
  const key = await newKey();
  const message = newMessage({ account_id: key.account_id });
  await storeMessage(table, message, randomEmail(3_000_000), noon);
  const codings = ["identity", "gzip", "zstd"];
  const queries = codings.map(() => 0);
  const leave = async (accept: string, index: number) => {
    const throttled = interceptedTable(table, ({ constructor: { name } }, proceed) => {
      if (name !== "QueryCommand") return proceed();
      queries[index] = (queries[index] ?? 0) + 1;
      if ((queries[index] ?? 0) <= 3) return proceed(); // The head, and two of three pages.
      throw Object.assign(new Error("slow down"), { name: "ThrottlingException" });
    });
    const handler = createHandler(throttled, () => noon);
    const { body } = await invoke(handler, getMessageEvent(key, message.id, { accept }), {
      timeoutMilliseconds: minute,
    });
    if (typeof body === "string") throw new Error("The response is not streamed");
    body.resume();
    // By then, everything that arrived has been sent, and the response waits for the third page.
    await vi.waitFor(() => expect(queries[index]).toBeGreaterThan(8), { timeout: minute });
    body.destroy();
  };

  await Promise.all(codings.map(leave));
  await output.requests(codings.length);
  const before = [...queries];
  await sleep(2500); // The longest wait between two tries is two seconds.

  expect(queries).toEqual(before);
});
