/** The gateway in front of functions that return their events. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { gateway, type Page, pageResponse } from "../../../infra/local/gateway.ts";
import { getMessage } from "../../../lib/http/operations.ts";
import { asError, echo, eventOf, get, membersPath, messagePath, noRoute, serve } from "../../harness/echo-gateway.ts";
import { listen } from "../../harness/listen.ts";
import { exchange, openConnection, parseResponse } from "../../harness/raw-http.ts";

describe("The response is 404 for an unknown route:", () => {
  const paths =
    "// //x ///v2/accounts/a/messages/m /v2/./accounts/a/messages/m /V2/accounts/a/messages/m " +
    `${messagePath}/ /v2/accounts//messages/m /constructor /__proto__ /% /?`;

  test.each(paths.split(" "))("GET %s", async (target) => {
    const { url, host } = await serve();

    expect(asError(await exchange(url, get(host, target)))).toEqual(noRoute);
  });

  const methods = `DELETE|OPTIONS|PATCH|TRACE|PROPFIND|M-SEARCH`.split("|").map((method) => [method, messagePath]);

  test.each([...methods, ["OPTIONS", "*"], ["CONNECT", "HOST"]])("%s %s", async (method, target) => {
    const { url, host } = await serve();

    const response = await exchange(url, get(host, `${target}`.replace("HOST", host)).replace("GET", `${method}`));

    expect(asError(response)).toEqual(noRoute);
  });
});

test("A request has one Host", async () => {
  const { url, host } = await serve();

  const without = await exchange(url, "GET / HTTP/1.1\r\n\r\n");
  const twice = await exchange(url, get(host, messagePath, `Host: ${host}`));

  const error = { status: 400, message: "The request must have one Host header" };
  expect([asError(without), asError(twice)]).toEqual([error, error]);
});

test("A body over 10 MiB is rejected, and the connection serves the next request", async () => {
  const { url, host } = await serve();
  const size = 10 * 1024 * 1024 + 1;
  const socket = await openConnection(url);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });

  socket.write(`POST ${membersPath} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n\r\n`);
  socket.write(Buffer.alloc(size));
  const error = { status: 413, message: "The request body must be at most 64 KiB" };
  await expect.poll(() => asError(parseResponse(text))).toEqual(error);
  text = "";
  socket.write(get(host, messagePath));

  await expect.poll(() => parseResponse(text)?.status).toBe(200);
});

test("A body of 10 MiB reaches the function", async () => {
  const { url, host } = await serve(async ({ body }: APIGatewayProxyEvent) => ({
    statusCode: 200,
    body: `${body?.length}`,
  }));
  const size = 10 * 1024 * 1024;
  const head = get(host, membersPath, `Content-Length: ${size}`).replace("GET", "POST");

  const response = await exchange(url, Buffer.concat([Buffer.from(head), Buffer.alloc(size, "x")]));

  expect(response?.body).toBe(`${size}`);
});

test("A page is served for its own method only", async () => {
  const respond = () => pageResponse("text/plain", "page");
  const pages: [string, Page][] = [
    ["/get", { isPrivate: false, respond }],
    ["/post", { isPrivate: false, method: "POST", respond }],
  ];
  const { url, host } = await serve(echo, pages);
  const statusOf = async (method: string, target: string) =>
    (await exchange(url, get(host, target, "Content-Length: 0").replace("GET", method)))?.status;

  expect([await statusOf("GET", "/get"), await statusOf("POST", "/post")]).toEqual([200, 200]);
  expect([await statusOf("POST", "/get"), await statusOf("GET", "/post")]).toEqual([404, 404]);
});

test.each(["100-continue", "200-ok"])("A request that expects %s is served", async (expectation) => {
  const { url, host } = await serve();

  const response = await exchange(url, get(host, messagePath, `Expect: ${expectation}`));

  expect(eventOf(response).path).toBe(messagePath);
});

test.each([
  ["a function fails", () => Promise.reject(new Error("its reason"))],
  ["a header is invalid", async () => ({ statusCode: 200, headers: { A: "\n" }, body: "" })],
])("If %s, the response is 500 in the shape of the API's errors", async (_, handler) => {
  const { url, host } = await serve(handler);

  const error = asError(await exchange(url, get(host, messagePath)));

  expect(error).toEqual({ status: 500, message: "Internal server error" });
});

describe("A streamed response", () => {
  const piece = Buffer.alloc(64 * 1024, "x");
  const pieces = 2048; // The kernel may hold more than 32 MiB of a response.

  /** Starts a function that streams 128 MiB after `begin`. `written` counts its pieces. */
  const startStream = async (begin = Promise.resolve()) => {
    const state = { started: false, written: 0, ended: false };
    const bytes = function* () {
      for (; state.written < pieces; state.written++) yield piece;
    };
    const handler = async (_event: APIGatewayProxyEvent, stream: awslambda.HttpResponseStream) => {
      state.started = true;
      await begin;
      const body = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: {} });
      await pipeline(Readable.from(bytes()), body).finally(() => {
        state.ended = true;
      });
    };
    awslambda.streamifyResponse(handler); // marks it: it is called with a stream from now on
    const server = gateway([{ operation: getMessage, handler }]);
    const host = `127.0.0.1:${await listen(server)}`;
    const socket = await openConnection(`http://${host}`);
    socket.write(get(host, messagePath));
    return { state, socket, server, host };
  };

  /** Waits until backpressure stops the function. */
  const heldBack = async (state: { written: number }): Promise<number> => {
    let before = 0;
    const standsStill = () => {
      const last = before;
      before = state.written;
      return last > 0 && last === before;
    };
    await expect.poll(standsStill, { interval: 300 }).toBe(true);
    return before;
  };

  test("waits for a slow reader with little memory, and arrives completely", async () => {
    const { state, socket } = await startStream();
    socket.pause();

    const written = await heldBack(state);
    socket.resume();

    expect(written).toBeLessThan(pieces / 2);
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(pieces * piece.length);
    await expect.poll(() => state.ended).toBe(true);
  });

  test("ends if its caller has disconnected before the first byte", async () => {
    const firstByte = Promise.withResolvers<void>();
    const { state, socket, server } = await startStream(firstByte.promise);
    const connections = promisify(server.getConnections.bind(server));
    await expect.poll(() => state.started).toBe(true);

    socket.destroy();
    await expect.poll(() => connections()).toBe(0);
    firstByte.resolve();

    await expect.poll(() => state.ended).toBe(true);
  });

  test("ends when its reader disconnects, and the next request is served", async () => {
    const { state, socket, host } = await startStream();
    socket.pause();
    await heldBack(state);

    socket.destroy();

    await expect.poll(() => state.ended).toBe(true);
    expect(asError(await exchange(`http://${host}`, get(host, "/")))).toEqual(noRoute);
  });

  test("is cut off, without more bytes, if its reader then sends malformed HTTP", async () => {
    const { state, socket } = await startStream();
    socket.pause();
    await heldBack(state);
    let tail = "";
    socket.on("data", (chunk) => {
      tail = `${tail}${chunk}`.slice(-1000);
    });

    socket.write("no HTTP\r\n\r\n");
    socket.resume();
    await once(socket, "close");

    expect(tail).toMatch(/^x*$/);
  });
});

test("A waiting function starts when another ends or fails", async () => {
  let running = 0;
  let most = 0;
  const two = Promise.withResolvers<void>();
  const handler = async (event: APIGatewayProxyEvent) => {
    most = Math.max(most, ++running);
    if (running === 2) two.resolve();
    await two.promise;
    await setImmediate();
    running--;
    if (event.queryStringParameters?.fails) throw new Error("a fault");
    return echo(event);
  };
  const { url, host } = await serve(handler, [], 2);
  const targets = Array(10)
    .fill([messagePath, `${messagePath}?fails=1`])
    .flat();

  const responses = await Promise.all(targets.map((target) => exchange(url, get(host, target))));

  expect(most).toBe(2);
  expect(responses.map((response) => response?.status)).toEqual(Array(10).fill([200, 500]).flat());
});
