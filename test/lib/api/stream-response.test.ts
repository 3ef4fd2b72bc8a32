import { Readable, Writable } from "node:stream";
import { expect, test, vi } from "vitest";

test("A reader who has left before the response begins does not hold the function", async () => {
  vi.stubGlobal("awslambda", { HttpResponseStream: { from: (stream: Writable) => stream } });
  const { sendResponse } = await import("../../../lib/api/stream-response.ts");
  const left = new Writable({ write: () => {} });
  left.destroy();
  await new Promise((resolve) => left.once("close", resolve));
  const body = Readable.from(["Hello"]);

  await sendResponse(left as awslambda.HttpResponseStream, { statusCode: 200, body });

  expect(body.destroyed).toBe(true);
  vi.unstubAllGlobals();
});
