/** The gateway's own part, with functions that only say what they were given: over sockets, byte by byte. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { describe, expect, onTestFinished, test } from "vitest";
import { gateway, type Page } from "../../../infra/local/gateway.ts";
import type { LambdaHandler } from "../../../infra/local/lambda.ts";
import { addAccountMember, getMessage } from "../../../lib/api/operations.ts";
import { exchange, openConnection, parseAnswer, type RawAnswer } from "../../harness/raw-http.ts";

/** A function whose answer is its event. */
const echo = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => ({
  statusCode: 200,
  body: JSON.stringify(event),
});

const serve = async (handler: LambdaHandler = echo, pages: [string, Page][] = [], atOnce?: number) => {
  const routes = [getMessage, addAccountMember].map((operation) => ({ operation, handler }));
  const server = gateway(routes, new Map(pages), atOnce).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, port };
};

const messagePath = "/v2/accounts/a/messages/m";
const membersPath = "/v2/accounts/a/members";

const get = (host: string, target: string, ...headers: string[]): string =>
  [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, "", ""].join("\r\n");

const eventOf = (answer: RawAnswer | null): APIGatewayProxyEvent =>
  JSON.parse(Buffer.from(answer?.body ?? "", "latin1").toString());

/** What an answer says, once it is found to have all that every error of the API has. */
const asError = (answer: RawAnswer | null) => {
  const headers = Object.fromEntries(answer?.headers ?? []);
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^[\da-f-]{36}$/),
  });
  return { status: answer?.status, ...JSON.parse(answer?.body ?? "") };
};

const noRoute = { status: 404, message: "No such route or method" };
const noHttp = { status: 400, message: "The request must be valid HTTP/1.1" };
const foreign = {
  status: 403,
  message: "This server answers as 127.0.0.1, localhost or [::1] with its port, and to its own pages only",
};

describe("The event of a request", () => {
  test("has header names as they were sent, the last value of each, and all of them in order", async () => {
    const { url, host } = await serve();

    const answer = await exchange(url, get(host, messagePath, "X-Twice: 1", "x-once:  a b ", "X-Twice: 2"));

    const { headers, multiValueHeaders } = eventOf(answer);
    expect(headers).toEqual({ Host: host, "X-Twice": "2", "x-once": "a b" });
    expect(multiValueHeaders).toEqual({ Host: [host], "X-Twice": ["1", "2"], "x-once": ["a b"] });
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "takes a header, a query parameter and a path named %s for what they are",
    async (name) => {
      const { url, host } = await serve();

      const answer = await exchange(
        url,
        get(host, `/v2/accounts/${name}/messages/m?${name}=1`, `${name}: 1`),
      );

      const { headers, multiValueHeaders, queryStringParameters, pathParameters } = eventOf(answer);
      expect(Object.entries(headers)).toContainEqual([name, "1"]);
      expect(Object.entries(multiValueHeaders)).toContainEqual([name, ["1"]]);
      expect(Object.entries(queryStringParameters ?? {})).toEqual([[name, "1"]]);
      expect(pathParameters).toMatchObject({ account_id: name });
    },
  );

  test("has the path as it was sent, and its parameters decoded where they can be", async () => {
    const { url, host } = await serve();

    const answer = await exchange(url, get(host, "/v2/accounts/%C3%A9/messages/%ff?a=1&a=2&b"));

    expect(eventOf(answer)).toMatchObject({
      path: "/v2/accounts/%C3%A9/messages/%ff",
      pathParameters: { account_id: "é", message_id: "%ff" },
      queryStringParameters: { a: "2", b: "" },
      multiValueQueryStringParameters: { a: ["1", "2"], b: [""] },
    });
  });

  test("has a body of any type as it was sent, chunked or not", async () => {
    const { url, host } = await serve();
    const head = `POST ${membersPath} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/plain\r\n`;

    const whole = await exchange(url, `${head}Content-Length: 5\r\n\r\n{"é"`);
    const chunked = await exchange(
      url,
      `${head}Transfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n1\r\n"\r\n0\r\n\r\n`,
    );

    expect(eventOf(whole).body).toBe('{"é"');
    expect(eventOf(chunked).body).toBe('{"a"');
  });

  test("is the same for a target that names the server (RFC 9112, section 3.2.2)", async () => {
    const { url, host } = await serve();

    const answer = await exchange(url, get(host, `http://${host}${messagePath}?a=1`));

    expect(eventOf(answer)).toMatchObject({ path: messagePath, queryStringParameters: { a: "1" } });
  });
});

describe("Where there is no route, the answer is 404:", () => {
  test.each([
    "//",
    "//x",
    "///v2/accounts/a/messages/m",
    "/v2/./accounts/a/messages/m",
    "/V2/accounts/a/messages/m",
    `${messagePath}/`,
    "/v2/accounts//messages/m",
    "/constructor",
    "/__proto__",
    "/%",
    "/?",
  ])("GET %s", async (target) => {
    const { url, host } = await serve(echo, [["/page", () => ({ statusCode: 200, headers: {}, body: "" })]]);

    expect(asError(await exchange(url, get(host, target)))).toEqual(noRoute);
  });

  test.each(["DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "M-SEARCH"])("%s", async (method) => {
    const { url, host } = await serve();

    const answer = await exchange(url, get(host, messagePath).replace("GET", method));

    expect(asError(answer)).toEqual(noRoute);
  });

  test("OPTIONS *, and CONNECT", async () => {
    const { url, host } = await serve();

    const options = await exchange(url, `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const connect = await exchange(url, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

    expect(asError(options)).toEqual(noRoute);
    expect(asError(connect)).toEqual(noRoute);
  });
});

describe("What is no request is answered in the API's shape:", () => {
  test.each([
    ["a line that is no HTTP", "hello\r\n\r\n", noHttp],
    ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000", noHttp],
    ["HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", noHttp],
    ["a version to come", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", noHttp],
    ["a header without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n", noHttp],
    ["a NUL in a header", "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n", noHttp],
    ["a length that is none", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", noHttp],
    [
      "two ways of telling the length",
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      noHttp,
    ],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", { status: 400, message: "The request must have one Host header" }],
    [
      "headers over 16 KiB",
      `GET / HTTP/1.1\r\nA: ${"x".repeat(20_000)}\r\n\r\n`,
      { status: 400, message: "The request's headers must be at most 16 KiB in all" },
    ],
  ])("%s", async (_, bytes, error) => {
    const { url } = await serve();

    expect(asError(await exchange(url, bytes))).toEqual(error);
  });

  test("a body that breaks off, or whose chunks make no sense", async () => {
    const { url, host } = await serve();
    const head = `POST ${membersPath} HTTP/1.1\r\nHost: ${host}\r\n`;

    const short = await exchange(url, `${head}Content-Length: 10\r\n\r\nabc`, { hangUpAfter: 100 });
    const chunks = await exchange(url, `${head}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`);

    expect(asError(short)).toEqual(noHttp);
    expect(asError(chunks)).toEqual(noHttp);
  });

  test("two Hosts", async () => {
    const { url, host } = await serve();

    const answer = await exchange(url, get(host, messagePath, `Host: ${host}`));

    expect(asError(answer)).toEqual({ status: 400, message: "The request must have one Host header" });
  });

  test("a body of over 10 MiB, which is read to its end: the next request is served", async () => {
    const { url, host } = await serve();
    const size = 10 * 1024 * 1024 + 1;
    const socket = await openConnection(url);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });

    socket.write(`POST ${membersPath} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size));
    await expect
      .poll(() => asError(parseAnswer(text)), { timeout: 10_000 })
      .toEqual({
        status: 413,
        message: "The request body must be at most 64 KiB",
      });
    text = "";
    socket.write(get(host, messagePath));

    await expect.poll(() => parseAnswer(text)?.status, { timeout: 10_000 }).toBe(200);
  });
});

test.each(["100-continue", "200-ok"])("A request that expects %s is served", async (expectation) => {
  const { url, host } = await serve();

  const answer = await exchange(url, get(host, messagePath, `Expect: ${expectation}`));

  expect(eventOf(answer).path).toBe(messagePath);
});

describe("A page of another site", () => {
  test.each([
    "evil.example:PORT",
    "evil.example",
    "127.0.0.1.nip.io:PORT",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.2:PORT",
    "localhost.:PORT",
    "localhost:PORT@evil.example",
    "",
  ])("is refused under the name %s, whatever it asks for", async (name) => {
    const { url, port } = await serve(echo, [["/", () => ({ statusCode: 200, headers: {}, body: "key" })]]);
    const host = name.replace("PORT", String(port));

    expect(asError(await exchange(url, get(host, "/")))).toEqual(foreign);
    expect(asError(await exchange(url, get(host, messagePath)))).toEqual(foreign);
  });

  test.each([
    "http://evil.example",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:1",
    "http://127.0.0.1",
    "http://localhost:PORT.evil.example",
    "null",
    "",
  ])("is refused with the Origin %s", async (origin) => {
    const { url, host, port } = await serve();

    const answer = await exchange(
      url,
      get(host, messagePath, `Origin: ${origin.replace("PORT", String(port))}`),
    );

    expect(asError(answer)).toEqual(foreign);
  });

  test("is refused where the target names it, whatever Host says", async () => {
    const { url, host } = await serve();

    expect(asError(await exchange(url, get(host, `http://evil.example${messagePath}`)))).toEqual(foreign);
  });
});

test.each(["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])(
  "A program, and a page of the server's own, may call it %s",
  async (name) => {
    const { url, port } = await serve();

    const program = await exchange(url, get(`${name}:${port}`, messagePath));
    const page = await exchange(url, get(`${name}:${port}`, messagePath, `Origin: http://${name}:${port}`));

    expect([program?.status, page?.status]).toEqual([200, 200]);
  },
);

describe("A function that fails", () => {
  test("before its answer: 500, in the API's words", async () => {
    const { url, host } = await serve(() => Promise.reject(new Error("its reason")));

    expect(asError(await exchange(url, get(host, messagePath)))).toEqual({
      status: 500,
      message: "Internal server error",
    });
  });

  test("with a header that can't be sent: 500", async () => {
    const { url, host } = await serve(async () => ({ statusCode: 200, headers: { A: "\n" }, body: "" }));

    expect(asError(await exchange(url, get(host, messagePath)))).toMatchObject({ status: 500 });
  });
});

describe("A streamed response", () => {
  const piece = Buffer.alloc(64 * 1024, "x");
  const pieces = 512;

  /** A function that streams 32 MiB as fast as it is let to, and says how far it is. */
  const startStream = async () => {
    const state = { written: 0, ended: false };
    const handler = async (
      _event: APIGatewayProxyEvent,
      stream: awslambda.HttpResponseStream,
    ): Promise<void> => {
      const body = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: {} });
      try {
        for (; state.written < pieces; state.written++) {
          if (!body.write(piece)) await once(body, "drain");
        }
        body.end();
      } finally {
        state.ended = true;
      }
    };
    awslambda.streamifyResponse(handler); // marks it: it is called with a stream from now on
    const { url, host } = await serve(handler);
    const socket = await openConnection(url);
    socket.write(get(host, messagePath));
    return { state, socket, url, host };
  };

  /** Waits until the function has written, and has then been made to wait. */
  const heldBack = async (state: { written: number }): Promise<number> => {
    let before = 0;
    await expect
      .poll(
        () => {
          const standsStill = state.written > 0 && state.written === before;
          before = state.written;
          return standsStill;
        },
        { timeout: 15_000, interval: 300 },
      )
      .toBe(true);
    return before;
  };

  test("waits for a slow reader with little in memory, and reaches them whole", async () => {
    const { state, socket } = await startStream();
    socket.pause();

    const written = await heldBack(state);
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.resume();

    expect(written).toBeLessThan(pieces / 2);
    await expect.poll(() => received, { timeout: 15_000 }).toBeGreaterThan(pieces * piece.length);
    await expect.poll(() => state.ended, { timeout: 15_000 }).toBe(true);
  });

  test("whose reader leaves ends, and the next request is served", async () => {
    const { state, socket, url, host } = await startStream();
    socket.pause();
    await heldBack(state);

    socket.destroy();

    await expect.poll(() => state.ended, { timeout: 15_000 }).toBe(true);
    expect(asError(await exchange(url, get(host, "/")))).toEqual(noRoute);
  });

  test("is cut off, and nothing is put behind it, when its reader goes on with what is no HTTP", async () => {
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

test("Functions have their turn as fast as others end, and a failure gives its turn away", async () => {
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

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      exchange(url, get(host, `${messagePath}${index % 2 ? "?fails=1" : ""}`)),
    ),
  );

  expect(most).toBe(2);
  expect(answers.map((answer) => answer?.status)).toEqual(answers.map((_, index) => (index % 2 ? 500 : 200)));
});
