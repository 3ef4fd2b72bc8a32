/** `npm start -- --api`: the pages for a deployed API. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { freePort } from "../../../infra/local/engine.ts";
import { newCertificate } from "../../harness/certificate.ts";
import { asError, get } from "../../harness/echo-gateway.ts";
import { listen } from "../../harness/listen.ts";
import { run, startLocal } from "../../harness/process.ts";
import { exchange, openConnection, parseResponse } from "../../harness/raw-http.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const startFor = (api: string) => startLocal({}, ["node", "infra/local/main.ts", "--api", api]);

let listener: RequestListener = () => {};
const json = { "Content-Type": "application/json" };

/** An API whose address has a path, as each stage has on AWS. */
const api = createServer((request, response) => listener(request, response));
const { url } = await startFor(`http://127.0.0.1:${await listen(api)}/dev/`);

const path = "/v2/accounts/a%2Fb/messages/m?fields=status&fields=%20";

test("Requests reach the API, and its responses come back with status, headers and body", async () => {
  const seen: { target: string; headers: IncomingHttpHeaders; body: string }[] = [];
  listener = async (request, response) => {
    const target = `${request.method} ${request.url}`;
    seen.push({ target, headers: request.headers, body: await text(request) });
    response.writeHead(429, { ...json, "Retry-After": "1", "X-Request-Id": "of-the-api" });
    response.end('{"message":"Too many requests"}');
  };
  const headers = { Authorization: "Bearer emk_x", Cookie: "c", Origin: url, "Idempotency-Key": "k" };

  const response = await fetch(url + path, { method: "POST", body: "{}", headers });

  expect({ status: response.status, body: await response.text() }).toEqual({
    status: 429,
    body: '{"message":"Too many requests"}',
  });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "retry-after": "1",
    "x-request-id": "of-the-api",
  });
  expect(seen).toMatchObject([
    {
      target: `POST /dev${path}`,
      headers: { authorization: "Bearer emk_x", "idempotency-key": "k" },
      body: "{}",
    },
  ]);
  const { cookie, origin, host } = seen[0]?.headers ?? {};
  expect({ cookie, origin }).toEqual({ cookie: undefined, origin: undefined });
  expect(host).not.toBe(new URL(url).host);
});

test("All headers of the contract pass in both directions", async () => {
  const sent = {
    Authorization: "Bearer emk_x",
    Accept: "application/json",
    "Accept-Encoding": "br;q=0.5, gzip",
    "User-Agent": "curl/8",
    "Content-Type": "application/json; charset=utf-8",
    "Content-Encoding": "identity",
    "Idempotency-Key": "k",
  };
  const answered = {
    "Content-Encoding": "gzip",
    Vary: "Accept-Encoding",
    "Retry-After": "1",
    "Idempotent-Replayed": "true",
    "WWW-Authenticate": "Bearer",
    "X-Amzn-Remapped-WWW-Authenticate": "Bearer",
    "X-Request-Id": "of-the-api",
  };
  let received: IncomingHttpHeaders = {};
  listener = (request, response) => {
    received = request.headers;
    response.writeHead(200, { ...json, ...answered }).end(gzipSync('{"a":1}'));
  };
  const lines = Object.entries({ ...sent, "Content-Length": "2" }).map(([name, value]) => `${name}: ${value}`);
  const post = `${get(new URL(url).host, path, ...lines).replace("GET", "POST")}{}`;

  const response = await exchange(url, post);

  const lowerCase = (headers: object) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  expect(received).toMatchObject(lowerCase(sent));
  expect(Object.fromEntries(response?.headers ?? [])).toMatchObject(lowerCase({ ...answered, ...json }));
  expect(gunzipSync(Buffer.from(response?.body ?? "", "latin1")).toString()).toBe('{"a":1}');
});

test("A response without content passes, and gets no media type", async () => {
  listener = (_, response) => response.writeHead(204).end();

  const response = await fetch(url + path);

  expect(response.status).toBe(204);
  expect(response.headers.has("content-type")).toBe(false);
});

test("A caller who disconnects ends the request to the API", async () => {
  const seen = { received: false, left: false };
  listener = (_, response) => {
    seen.received = true;
    response.once("close", () => {
      seen.left = true;
    });
  };
  const socket = await openConnection(url);

  socket.write(get(new URL(url).host, path));
  await expect.poll(() => seen.received).toBe(true);
  socket.destroy();

  await expect.poll(() => seen.left).toBe(true);
});

test("The first bytes come back before the API has sent the last ones", async () => {
  let finish = () => {};
  listener = (_, response) => {
    response.writeHead(200, json).write("first");
    finish = () => response.end("last");
  };

  const { body } = await fetch(url + path);
  const chunks: string[] = [];
  for await (const chunk of body ?? []) {
    chunks.push(Buffer.from(chunk).toString());
    finish();
  }

  expect(chunks).toEqual(["first", "last"]);
});

test("A response that breaks off doesn't look complete", async () => {
  listener = (_, response) => {
    response.writeHead(200, json).write("first");
    setTimeout(() => response.destroy(), 50);
  };

  await expect(fetch(url + path).then((response) => response.text())).rejects.toThrow("terminated");
});

test("Nothing of a response acts on this machine's origin", async () => {
  const acting = { "Set-Cookie": "a=b", "Clear-Site-Data": '"*"', "Access-Control-Allow-Origin": "*", Refresh: "0" };
  listener = (_, response) => response.writeHead(200, { ...json, ...acting }).end("{}");

  const { headers } = await fetch(url + path);

  expect(Object.keys(acting).filter((name) => headers.has(name))).toEqual([]);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test.each([
  ["a page", 200, { "Content-Type": "text/html" }],
  ["two media types", 200, { "Content-Type": ["text/html", "application/json"] }],
  ["no media type", 200, {}],
  ["an unknown status", 999, json],
])("A response with %s is a 502", async (_, status, headers) => {
  listener = (_, response) => response.writeHead(status, headers).end("<script>");

  const response = await fetch(url + path);

  expect(response.status).toBe(502);
  expect(await response.json()).toEqual({ message: expect.stringMatching(/ responded with \d+, and not with JSON$/) });
});

test.each([
  ["chunked", "Transfer-Encoding: chunked"],
  ["counted", "Content-Length: LENGTH"],
])("A GET's %s body reaches the API as a body, and not as a second request", async (framing, header) => {
  const seen: string[] = [];
  listener = async (request, response) => {
    seen.push(`${request.method} ${await text(request)}`);
    response.writeHead(200, json).end("{}");
  };
  const second = "DELETE /v2/x HTTP/1.1\r\nHost: x\r\n\r\n";
  const chunk = `${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`;
  const head = get(new URL(url).host, path, header.replace("LENGTH", `${second.length}`));

  expect(await exchange(url, head + (framing === "chunked" ? chunk : second))).toMatchObject({ status: 200 });
  expect(seen).toEqual([`GET ${second}`]);
});

test("An API that can't be reached is a 502 with the reason", async () => {
  const { url } = await startFor("http://127.0.0.1:1");

  const response = await fetch(url + path);

  expect(response.status).toBe(502);
  expect(await response.json()).toEqual({ message: "http://127.0.0.1:1 can't be reached: ECONNREFUSED" });
});

test("An API whose certificate isn't trusted gets no key, whatever the environment says", async () => {
  const files = newCertificate(temporaryFolder());
  const keys: unknown[] = [];
  const server = createSecureServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) });
  server.on("request", ({ headers }, response) => {
    keys.push(headers.authorization);
    response.writeHead(200, json).end("{}");
  });
  const address = `https://127.0.0.1:${await listen(server)}`;
  const statusWith = async (variables: NodeJS.ProcessEnv) => {
    const { url } = await startLocal(variables, ["node", "infra/local/main.ts", "--api", address]);
    return (await fetch(url + path, { headers: { Authorization: "Bearer emk_x" } })).status;
  };

  expect(await statusWith({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toBe(502);
  expect(keys).toEqual([]);
  expect(await statusWith({ NODE_EXTRA_CA_CERTS: files.cert })).toBe(200);
  expect(keys).toEqual(["Bearer emk_x"]);
});

test("Other origins and hosts reach neither the API nor the pages, and the pages hold no key", async () => {
  listener = (_, response) => response.end("reached");
  const { host } = new URL(url);

  const foreign = [
    get("evil.example", path),
    get("evil.example", "/messages"),
    get(host, path, "Origin: http://evil.example"),
  ];
  for (const request of foreign) expect(asError(await exchange(url, request)).status).toBe(403);
  const pages = await Promise.all(["/messages", "/"].map(async (page) => (await fetch(url + page)).text()));
  expect(pages.join("")).not.toContain("emk_");
});

test.each([
  ["--api example.com", "It takes the address of an API"],
  ["--stage dev --data x.db", "cannot be used with option"],
])("A bad argument ends npm start with status 2: %s", async (options, reason) => {
  const { status, stderr } = await run(`PORT=0 node infra/local/main.ts ${options}`);

  expect(status).toBe(2);
  expect(stderr).toContain(reason);
});

test("A large body that can't be forwarded doesn't block the connection's next request", async () => {
  const { url } = await startFor(`http://127.0.0.1:${await freePort()}`);
  const { host } = new URL(url);
  const socket = await openConnection(url);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const size = 20 * 1024 * 1024;

  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n\r\n`);
  socket.write(Buffer.alloc(size));
  await expect.poll(() => parseResponse(text)?.status).toBe(502);
  text = "";
  socket.write(get(host, path));

  await expect.poll(() => parseResponse(text)?.status).toBe(502);
});
