import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { streamifyResponse } from "../../../infra/local/lambda.ts";
import { respondToMalformedHttp } from "../../../infra/local/malformed-http.ts";
import { asError, get, membersPath, messagePath, serve } from "../../harness/echo-gateway.ts";
import { listen } from "../../harness/listen.ts";
import { exchange, openConnection } from "../../harness/raw-http.ts";

const tooLarge = { status: 400, message: "The request's headers must be at most 16 KiB in all" };
const post = `POST ${membersPath} HTTP/1.1\r\nHost: x\r\n`;
const longBody = { status: 413, message: "The request body must be at most 64 KiB" };
const noHttp = { status: 400, message: "The request must be valid HTTP/1.1" };

describe("The response has the shape of the API's errors for", () => {
  test.each([
    ["a line that is not HTTP", "hello\r\n\r\n", noHttp],
    ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000", noHttp],
    ["headers over 16 KiB", `GET / HTTP/1.1\r\nA: ${"x".repeat(20_000)}\r\n\r\n`, tooLarge],
    [
      "a chunk with extensions over 16 KiB",
      `${post}Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}`,
      longBody,
    ],
    ["a body that breaks off", `${post}Content-Length: 10\r\n\r\nabc`, noHttp],
  ])("%s", async (_, bytes, error) => {
    const { url } = await serve();

    const response = await exchange(url, bytes, { hangUpAfter: 100 });

    expect(asError(response)).toEqual(error);
    expect(response?.headers.get("connection")).toBe("close");
  });

  test("a line that is not HTTP, while another connection's response has begun", async () => {
    const end = Promise.withResolvers<void>();
    const handler = streamifyResponse(async (_, stream) => {
      const body = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: {} });
      body.write("begun");
      await end.promise;
      body.end();
    });
    const { url, host } = await serve(handler);
    const other = await openConnection(url);
    other.write(get(host, messagePath));
    await once(other, "data");

    const response = await exchange(url, "hello\r\n\r\n");
    end.resolve();

    expect(asError(response)).toEqual(noHttp);
  });

  test("a request that never ends", async () => {
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 });
    respondToMalformedHttp(server);
    const port = await listen(server);

    const response = await exchange(`http://127.0.0.1:${port}`, "GET / HTTP/1.1\r\nHost: x\r\n");

    expect(asError(response)).toEqual({ status: 400, message: "The request took too long to arrive" });
  });
});
