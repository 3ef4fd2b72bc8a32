import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import { createHandler } from "../../../functions/add-account-member.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { parseScope } from "../../../lib/api-keys/scopes.ts";
import { revokeApiKey } from "../../../lib/api-keys/store.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

let url: string;
beforeEach(async () => {
  url = await startService();
});

const messageUrl = (account_id: string, message_id: string = randomUUID()) =>
  `${url}/v2/accounts/${account_id}/messages/${message_id}`;

describe("Credentials", () => {
  test.each([
    ["no Authorization header", {}],
    ["another scheme", { Authorization: "Basic dXNlcjpwYXNz" }],
    ["a scheme without a token", { Authorization: "Bearer" }],
    ["two tokens", { Authorization: "Bearer one two" }],
    ["characters that no token may have", { Authorization: "Bearer not,a,token" }],
  ])("with %s are missing or malformed: 401", async (_, headers) => {
    const response = await call(messageUrl(randomUUID()), { headers: headers as Record<string, string> });

    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: "Missing or malformed bearer token" });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("are missing in an event without headers, such as a test event of the Lambda console: 401", async () => {
    const handler = createHandler(table, () => noon);
    const event = { pathParameters: null, headers: null } as unknown as APIGatewayProxyEvent;

    expect(await invoke(handler, event)).toMatchObject({ statusCode: 401 });
  });

  test.each(["Bearer", "bearer", "BEARER"])("may spell the scheme %s", async (scheme) => {
    const { secret, account_id } = await newKey();

    const response = await call(messageUrl(account_id), {
      headers: { Authorization: `${scheme} ${secret}` },
    });

    expect(response.status).toBe(404);
  });
});

describe("A key that is", () => {
  const responseTo = async (account_id: string, secret: string) => {
    const response = await call(messageUrl(account_id), { headers: bearer(secret) });
    const headers = Object.fromEntries(response.headers);
    for (const name of ["date", "connection", "keep-alive", "transfer-encoding", "x-request-id"]) {
      delete headers[name];
    }
    return { status: response.status, body: await response.text(), headers };
  };
  const invalid = {
    status: 401,
    body: '{"message":"Invalid API key"}',
    headers: {
      "cache-control": "no-store",
      "content-type": "application/json",
      "www-authenticate": 'Bearer error="invalid_token"',
      "x-content-type-options": "nosniff",
    },
  };

  test.each([
    ["unknown", async () => ({ account_id: randomUUID(), secret: "emk_unknown" })],
    ["expired, but not yet deleted by TTL", () => newKey({ expires_at: noon / 1000 })],
    ["another account's", async () => ({ ...(await newKey()), account_id: randomUUID() })],
  ])("%s has the same response as any other invalid key: 401", async (_, keyOf) => {
    const { account_id, secret } = await keyOf();

    expect(await responseTo(account_id, secret)).toEqual(invalid);
  });

  test("revoked works until it is revoked, and not on the next request", async () => {
    const { secret, account_id, id } = await newKey();
    expect(await responseTo(account_id, secret)).toMatchObject({ status: 404 });

    await revokeApiKey(table, id, noon);

    expect(await responseTo(account_id, secret)).toEqual(invalid);
  });

  test("in its last second is valid", async () => {
    const { secret, account_id } = await newKey({ expires_at: noon / 1000 + 1 });

    expect(await responseTo(account_id, secret)).toMatchObject({ status: 404 });
  });
});

describe("The scope", () => {
  const readWith = async (scopes: string[], fields: Partial<Parameters<typeof newMessage>[0]> = {}) => {
    const { secret, account_id } = await newKey({ scopes });
    const message = newMessage({ account_id, ...fields });
    await storeMessage(table, message, null, noon);
    return call(messageUrl(account_id, message.id), { headers: bearer(secret) });
  };

  const quoted = { sender: '"a@example.net"@example.com' };
  const incoming = { direction: "incoming", sender: "x@example.net", recipient: "y@example.com" } as const;

  test.each([
    ["*", {}, 200],
    ["messages:read:all", {}, 200],
    ["messages:read:{example.com}", {}, 200],
    ["messages:read:{example.com}", { sender: "Hello@EXAMPLE.com" }, 200],
    ["messages:read:{bücher.example}", { sender: "hallo@Bücher.example" }, 200],
    ["messages:read:{bücher.example}", { sender: "hallo@xn--bcher-kva.example" }, 200],
    ["messages:read:{XN--Bcher-Kva.example}", { sender: "hallo@bücher.example" }, 200],
    ["messages:read:{example.com}", quoted, 200],
    ["messages:read:{example.net}", quoted, 403],
    ["messages:read:{example.com}", incoming, 200],
    ["messages:read:{example.net}", incoming, 403],
  ])("%s applies to the domain of the sender, or of an incoming message's recipient: %j", async (...row) => {
    const [scope, fields, status] = row;

    expect((await readWith([parseScope(scope) ?? ""], fields)).status).toBe(status);
  });

  test.each([
    ["no scope at all", []],
    ["only the scope of the other operation", ["accounts:members:add"]],
    ["only the scope of another domain", ["messages:read:{example.org}"]],
    ["only the scope of a subdomain", ["messages:read:{mail.example.com}"]],
    ["only the scope of a parent domain", ["messages:read:{com}"]],
  ])("is missing for a key with %s: 403", async (_, scopes) => {
    const response = await readWith(scopes);

    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ message: "The API key lacks the scope messages:read:all" });
    expect(response.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope"');
  });

  test("is checked before the response reveals that a message does not exist", async () => {
    const without = await newKey({ scopes: ["accounts:members:add"] });
    const confined = await newKey({ scopes: ["messages:read:{example.com}"] });

    const rejected = await call(messageUrl(without.account_id), { headers: bearer(without.secret) });
    const missing = await call(messageUrl(confined.account_id), { headers: bearer(confined.secret) });

    expect(rejected.status).toBe(403);
    expect(missing.status).toBe(404);
  });

  test("accounts:members:add is required to add a member", async () => {
    const add = async (scopes: string[]) => {
      const { secret, account_id } = await newKey({ scopes });
      return call(`${url}/v2/accounts/${account_id}/members`, {
        method: "POST",
        headers: { ...bearer(secret), "Content-Type": "application/json" },
        body: JSON.stringify({ email: "scoped@example.com", role: "Analyst" }),
      });
    };

    expect((await add(["accounts:members:add"])).status).toBe(201);
    const rejected = await add(["messages:read:all"]);
    expect(rejected.status).toBe(403);
    expect(await rejected.json()).toEqual({ message: "The API key lacks the scope accounts:members:add" });
  });
});
