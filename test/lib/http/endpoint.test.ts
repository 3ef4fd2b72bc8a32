/** The middleware stack, with operations of every kind. */
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { gateway } from "../../../infra/local/gateway.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { type AccountPath, addAccountMember, type Operation, operations } from "../../../lib/http/operations.ts";
import { integerParameter, optional } from "../../../lib/http/parameters.ts";
import { captureOutput } from "../../harness/captured-output.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { listen } from "../../harness/listen.ts";
import { bearer, call, newKey, noon, startService, table } from "../../harness/service.ts";

describe("The read of the API key", () => {
  /** Sends a request for a new account. The read of the API key waits for `prefetch` to start, and a moment longer. */
  const ask = async (secret: string | undefined, prefetch: () => Promise<null>) => {
    const key = await newKey();
    const started = Promise.withResolvers<void>();
    const slow = interceptedTable(table, async (_, proceed) => {
      await started.promise;
      await setImmediate();
      return proceed();
    });
    const handler = endpoint({
      operation: { ...addAccountMember, body: null },
      prefetch: () => {
        started.resolve();
        return prefetch();
      },
      handle: () => ({ status: 201, body: "" }),
    })(slow, () => noon);
    const event = {
      headers: { Authorization: `Bearer ${secret ?? key.secret}` },
      pathParameters: { account_id: key.account_id },
    };
    return (await invoke(handler, event as unknown as APIGatewayProxyEvent)).statusCode;
  };

  test("runs in parallel with `prefetch`", async () => {
    expect(await ask(undefined, async () => null)).toBe(201);
  });

  test("decides the error, even if `prefetch` fails first", async () => {
    const fail = () => Promise.reject(new Error("the table failed"));

    expect(await ask(undefined, fail)).toBe(500);
    expect(await ask("emk_unknown", fail)).toBe(401);
  });
});

/** Serves one operation, whose handler returns its input. Returns the address of the account's members. */
const serve = async <Body>(fields: Pick<Operation<AccountPath, unknown, Body>, "method" | "status" | "body">) => {
  const limit = {
    ...optional(integerParameter("limit", [1, 100], "The size of a page.", "10")),
    isLogged: true,
  };
  const token = optional({ schema: z.string(), description: "A secret.", example: "s3cret" });
  type Query = { limit: number | undefined; token: string | undefined };
  const operation: Operation<AccountPath, Query, Body> = {
    ...addAccountMember,
    ...fields,
    queryParameters: { limit, token },
  };
  const handler = endpoint({
    operation,
    prefetch: async () => null,
    handle: ({ query, body }) => ({
      status: operation.status,
      body: operation.status === 204 ? "" : JSON.stringify({ query, body }),
    }),
  })(table, () => noon);
  const port = await listen(gateway([{ operation, handler }]));
  const { secret, account_id } = await newKey();
  const url = `http://127.0.0.1:${port}/v2/accounts/${account_id}/members`;
  return { url, authorization: bearer(secret) };
};

describe("No such route or method: 404", () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  const byPath = Map.groupBy(operations, ({ path }) => path);
  const missing = [...byPath].flatMap(([path, served]) => [
    ...methods.filter((name) => served.every(({ method }) => method !== name)).map((name) => [name, path]),
    ["GET", `${path}/no/such/path`],
  ]);

  test.each([["GET", "/"], ["GET", "/v2/accounts"], ...missing])("%s %s", async (method = "", path) => {
    const url = await startService();

    const response = await call(`${url}${path?.replaceAll(/\{\w+\}/g, randomUUID())}`, { method });

    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ message: "No such route or method" });
  });
});

describe("An operation", () => {
  test.each(operations)("$id has exactly the parameters that its path names", ({ path, pathParameters }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

    expect(Object.keys(pathParameters)).toEqual(named);
  });

  test.each(["PUT", "PATCH", "DELETE"] as const)("may be a %s with a JSON body", async (method) => {
    const body = z.object({ role: z.string("role must be a string") });
    const { url, authorization } = await serve({ method, body, status: 200 });
    const headers = { ...authorization, "Content-Type": "application/json" };

    const sent = await fetch(url, { method, headers, body: '{"role":"Analyst"}' });
    const wrong = await fetch(url, { method, headers, body: '{"role":1}' });
    const text = await fetch(url, { method, headers: authorization, body: "role" });

    expect(await sent.json()).toEqual({ query: {}, body: { role: "Analyst" } });
    expect(await wrong.json()).toEqual({ message: "role must be a string" });
    expect(text.status).toBe(415);
  });

  test.each(["POST", "DELETE"] as const)("may be a %s without a body, with 204", async (method) => {
    const { url, authorization } = await serve({
      method,
      body: null,
      status: 204,
    });

    const response = await fetch(url, { method, headers: authorization });

    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(response.headers.has("content-type")).toBe(false);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.any(String),
    });
  });
});

test("An Idempotency-Key that was used with another operation was used with a different request", async () => {
  const { secret, account_id } = await newKey();
  const handlerOf = (changes: Partial<typeof addAccountMember>) =>
    endpoint({
      operation: { ...addAccountMember, ...changes, body: null },
      prefetch: async () => null,
      handle: ({ once }) => once.store({ status: 201, body: "{}" }),
    })(table, () => noon);
  const event = { headers: { ...bearer(secret), "Idempotency-Key": randomUUID() }, pathParameters: { account_id } };
  const send = async (changes: Partial<typeof addAccountMember>) =>
    (await invoke(handlerOf(changes), event as unknown as APIGatewayProxyEvent)).statusCode;

  expect(await send({})).toBe(201);
  expect(await send({ method: "PUT" })).toBe(422);
  expect(await send({ path: "/v2/accounts/{account_id}/guests" })).toBe(422);
  expect(await send({})).toBe(201);
});

describe("A query parameter", () => {
  test.each([
    ["is read", "?limit=10", 200, { query: { limit: 10 } }],
    ["may be absent", "", 200, { query: {} }],
    ["without an entry is ignored, even twice", "?x=1&x=2&__proto__=3", 200, { query: {} }],
    ...["ten", "", "1.5", "-1", "1e1", "0x10", "%201", "0", "101", "9".repeat(20)].map(
      (limit): [string, string, number, object] => [
        "that is no integer of its range is rejected",
        `?limit=${limit}`,
        400,
        { message: "limit must be an integer from 1 to 100" },
      ],
    ),
    ["given twice is rejected", "?limit=1&limit=1", 400, { message: "limit must be given only once" }],
  ])("%s (%s)", async (_, query, status, body) => {
    const { url, authorization } = await serve({ method: "GET", body: null, status: 200 });

    const response = await fetch(url + query, { headers: authorization });

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual(body);
  });

  test("is in the request log only if its entry says so", async () => {
    const output = captureOutput();
    const { url, authorization } = await serve({ method: "GET", body: null, status: 200 });

    await fetch(`${url}?limit=10&token=s3cret`, { headers: authorization });
    await fetch(`${url}?token=s3cret`, { headers: authorization });

    const requests = await output.requests(2);
    expect(requests.map(({ query }) => query)).toEqual([{ limit: 10 }, undefined]);
  });
});
