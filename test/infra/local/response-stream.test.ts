import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openResponseStream } from "../../../infra/local/response-stream.ts";

test("A connection that closes with its reader, before Lambda's response, does not end the process", async () => {
  const lambda = createServer((request) => request.once("data", () => request.socket.resetAndDestroy()));
  lambda.listen(0, "127.0.0.1");
  await once(lambda, "listening");
  onTestFinished(() => void lambda.close());
  const { stream, accepted } = openResponseStream((lambda.address() as AddressInfo).port, "/");
  const ended = new Promise((resolve) => stream.once("close", resolve));

  stream.write("x".repeat(1_000_000));

  await ended;
  await expect(accepted).resolves.toBeUndefined(); // An unhandled rejection would also fail the run.
});
