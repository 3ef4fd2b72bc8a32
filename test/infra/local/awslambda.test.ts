import { createServer } from "node:http";
import { expect, test } from "vitest";
import { openResponseStream } from "../../../infra/local/awslambda.ts";
import { listen } from "../../harness/listen.ts";

test("A connection that closes with its reader, before Lambda's response, does not end the process", async () => {
  const lambda = createServer((request) => request.once("data", () => request.socket.resetAndDestroy()));
  const { stream, accepted } = openResponseStream(await listen(lambda), "/");
  const ended = new Promise((resolve) => stream.once("close", resolve));

  stream.write("x".repeat(1_000_000));

  await ended;
  await expect(accepted).resolves.toBeUndefined(); // An unhandled rejection would also fail the run.
});
