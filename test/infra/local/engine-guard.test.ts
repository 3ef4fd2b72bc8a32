import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Engine, startEngine } from "../../../infra/local/engine.ts";
import { engineGuard, portsClosedToPages } from "../../../infra/local/engine-guard.ts";
import { exchange } from "../../harness/raw-http.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine?.stop());

const startGuard = async (behind: number): Promise<{ url: string; host: string }> => {
  const server = engineGuard(behind).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, host };
};

const listTables = (host: string, ...headers: string[]): string =>
  [
    "POST / HTTP/1.1",
    `Host: ${host}`,
    "Content-Type: application/x-amz-json-1.0",
    "X-Amz-Target: DynamoDB_20120810.ListTables",
    "Authorization: AWS4-HMAC-SHA256 Credential=local/20261121/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00",
    "X-Amz-Date: 20261121T000000Z",
    "Content-Length: 2",
    ...headers,
    "",
    "{}",
  ].join("\r\n");

test("The SDK reaches the table through the guard", async () => {
  const { url } = await startGuard(engine.port);
  const client = new DynamoDBClient({ endpoint: url });
  onTestFinished(() => client.destroy());

  const { TableNames } = await client.send(new ListTablesCommand());

  expect(TableNames).toEqual([]);
});

test("A request that no page makes passes as it is, and one of a page does not", async () => {
  const { url, host } = await startGuard(engine.port);

  const program = await exchange(url, listTables(host));
  const page = await exchange(url, listTables(host, "Origin: http://evil.example"));
  const rebound = await exchange(url, listTables("evil.example"));
  const asked = await exchange(
    url,
    `OPTIONS / HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://evil.example\r\n\r\n`,
  );

  expect(program?.status).toBe(200);
  expect(program?.body).toContain("TableNames");
  for (const refused of [page, rebound, asked]) {
    expect(refused?.status).toBe(403);
    expect(refused?.headers.has("access-control-allow-origin")).toBe(false);
    expect(refused?.body).not.toContain("TableNames");
  }
});

test("An engine that is gone ends the connection, instead of leaving its caller to wait", async () => {
  const { url, host } = await startGuard(1);

  expect(await exchange(url, listTables(host))).toBeNull();
});

test.each(portsClosedToPages)("The Fetch standard closes port %s to pages", async (port) => {
  const error = await fetch(`http://127.0.0.1:${port}/`).catch((failed: Error) => failed.cause);

  expect(error).toMatchObject({ message: "bad port" });
});
