/** A streamed response, and a reader who leaves or is too slow. */
import { randomBytes } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createHandler } from "../../../functions/get-message.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { sendResponse } from "../../../lib/api/stream-response.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import { getMessageEvent } from "../../bench/events.ts";
import { captureOutput } from "../../harness/captured-output.ts";
import { newKey, newMessage, noon, table } from "../../harness/service.ts";

const minute = 60_000;

test("A reader who has left before the response begins does not hold the function", async () => {
  vi.stubGlobal("awslambda", { HttpResponseStream: { from: (stream: Writable) => stream } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const left = new Writable({ write: () => {} });
  left.destroy();
  await new Promise((resolve) => left.once("close", resolve));
  const body = Readable.from(["Hello"]);

  await sendResponse(left as awslambda.HttpResponseStream, { statusCode: 200, body }, minute);

  expect(body.destroyed).toBe(true);
});

/** Reads a message of 3 MB, and waits after each chunk. Returns the request's log lines and the bytes of the body. */
const readSlowly = async (pauseMs: number, timeoutMilliseconds: number) => {
  const output = captureOutput();
  onTestFinished(output.restore);
  const key = await newKey();
  const message = newMessage({ account_id: key.account_id });
  await storeMessage(table, message, randomBytes(3_000_000), noon);
  const event = getMessageEvent(key, message.id);
  event.requestContext.requestTimeEpoch = Date.now();

  const { statusCode, body } = await invoke(
    createHandler(table, () => noon),
    event,
    { timeoutMilliseconds },
  );
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    chunks.push(Buffer.from(chunk));
    await sleep(pauseMs);
  }
  const line = await vi.waitUntil(() => output.lines().find((one) => one.message === "request"));
  return { statusCode, read: Buffer.concat(chunks).toString(), line, lines: output.lines() };
};

test("A reader who is too slow gets a part of the response, and is logged as a slow reader", async () => {
  const { statusCode, read, line, lines } = await readSlowly(10, 10_100);

  expect(statusCode).toBe(200);
  expect(() => JSON.parse(read)).toThrow();
  expect(line).toMatchObject({ level: "INFO", status: 200, slow_reader: true });
  expect(line).not.toHaveProperty("error");
  expect(lines.filter((one) => "ServerError" in one)).toEqual([]);
});

test("The log has the time from API Gateway's receipt of a request to the first byte of its stream", async () => {
  const { read, line } = await readSlowly(0, minute);

  expect(() => JSON.parse(read)).not.toThrow();
  expect(line).toMatchObject({ time_to_first_byte_ms: expect.any(Number) });
  expect(line).not.toHaveProperty("slow_reader");
});
