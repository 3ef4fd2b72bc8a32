import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { startEngine } from "../../../infra/local/engine.ts";
import { engineGuard, portsClosedToPages } from "../../../infra/local/engine-guard.ts";
import { get } from "../../harness/echo-gateway.ts";
import { listen } from "../../harness/listen.ts";
import { exchange } from "../../harness/raw-http.ts";

const engine = await startEngine();
afterAll(engine.stop);

const startGuard = async (enginePort: number): Promise<{ url: string; host: string }> => {
  const host = `127.0.0.1:${await listen(engineGuard(enginePort))}`;
  return { url: `http://${host}`, host };
};

const credential = "Credential=local/20261121/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00";
const signature = `Authorization: AWS4-HMAC-SHA256 ${credential}|X-Amz-Date: 20261121T000000Z`;
const content = "Content-Type: application/x-amz-json-1.0|X-Amz-Target: DynamoDB_20120810.ListTables|Content-Length: 2";
const call = `${content}|${signature}`.split("|");

const listTables = (host: string, ...headers: string[]): string =>
  `${get(host, "/", ...call, ...headers).replace("GET", "POST")}{}`;

test("The guard forwards a program's request, and rejects the request of a page", async () => {
  const { url, host } = await startGuard(engine.port);

  const program = await exchange(url, listTables(host));
  const page = await exchange(url, listTables(host, "Origin: http://evil.example"));
  const picture = await exchange(url, listTables(host, "Sec-Fetch-Site: cross-site"));
  const rebound = await exchange(url, listTables("evil.example"));
  const options = get(host, "/", "Origin: http://evil.example").replace("GET", "OPTIONS");
  const asked = await exchange(url, options);

  expect(program?.status).toBe(200);
  expect(program?.body).toContain("TableNames");
  for (const rejected of [page, picture, rebound, asked]) {
    expect(rejected?.status).toBe(403);
    expect(rejected?.headers.has("access-control-allow-origin")).toBe(false);
    expect(JSON.parse(rejected?.body ?? "")).toEqual({
      __type: "com.amazon.coral.service#AccessDeniedException",
      message: "Web pages may not use this DynamoDB (Host, Origin, Sec-Fetch-Site)",
    });
  }
});

test("An error of the engine reaches the program with its status", async () => {
  const { url, host } = await startGuard(engine.port);

  const failed = await exchange(url, listTables(host).replace("ListTables", "NoSuchCall"));

  expect(failed?.status).toBe(400);
  expect(failed?.body).toContain("__type");
});

test.each(["Trailer: x", "Expect: x", "Keep-Alive: timeout=0", "__proto__: x", "X: \u00e9"])(
  "A GET with %s does not end the server",
  async (header) => {
    const { url, host } = await startGuard(engine.port);

    await exchange(url, get(host, "/", header, "Connection: close"));

    expect((await exchange(url, listTables(host)))?.status).toBe(200);
  },
);

test("If the engine is gone, the guard closes the connection at once", async () => {
  const { url, host } = await startGuard(1);

  expect(await exchange(url, listTables(host))).toBeNull();
});

describe("A program that disconnects in the middle of a call", () => {
  const scan = (host: string): string => listTables(host).replace("ListTables", "Scan");
  const callAndLeave = async (port: number): Promise<void> => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    await once(socket, "connect");
    await new Promise((written) => socket.write(scan(`127.0.0.1:${port}`), written));
    socket.destroy();
  };

  test("does not end the server, even if the response has just arrived", async () => {
    const port = await listen(engineGuard(engine.port));

    for (let calls = 0; calls < 500; calls += 10)
      await Promise.all(Array.from({ length: 10 }, () => callAndLeave(port)));

    expect(await exchange(`http://127.0.0.1:${port}`, listTables(`127.0.0.1:${port}`))).toMatchObject({
      status: 200,
    });
  });

  test("frees the connection to the engine, even if the engine never responds", async () => {
    const calls = { received: 0, open: 0 };
    const silent = createServer((_request, response) => {
      calls.received++;
      calls.open++;
      response.once("close", () => calls.open--);
    });
    const port = await listen(engineGuard(await listen(silent)));
    const sockets = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));

    for (const socket of sockets) socket.write(scan(`127.0.0.1:${port}`));
    await expect.poll(() => calls).toEqual({ received: 20, open: 20 });
    for (const socket of sockets) socket.destroy();

    await expect.poll(() => calls).toEqual({ received: 20, open: 0 });
  });
});

test.each(portsClosedToPages)("The Fetch standard closes port %s to pages", async (port) => {
  const error = await fetch(`http://127.0.0.1:${port}/`).catch((failed: Error) => failed.cause);

  expect(error).toMatchObject({ message: "bad port" });
});
