import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { parseScope } from "../../../lib/api-keys/scopes.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

let url: string;
beforeEach(async () => {
  url = await startService();
});

const messageUrl = (account_id: string, message_id: string = randomUUID()) =>
  `${url}/v2/accounts/${account_id}/messages/${message_id}`;

test("A key in its last second is valid, and then it is not", async () => {
  const { secret, account_id } = await newKey({ expires_at: noon / 1000 + 1 });
  const old = await newKey({ account_id, expires_at: noon / 1000 });

  expect((await call(messageUrl(account_id), { headers: bearer(secret) })).status).toBe(404);
  expect((await call(messageUrl(account_id), { headers: bearer(old.secret) })).status).toBe(401);
});

test.each([
  ["Bearer  ", "", "Message not found"],
  ["Bearer ", "~.+/==", "Invalid API key"],
  ["Bearer ", "=x", "Missing or malformed bearer token"],
  ["Bearer ", ",", "Missing or malformed bearer token"],
  ["x Bearer ", "", "Missing or malformed bearer token"],
])("Credentials may have what RFC 6750 allows: %jKEY%j is %s", async (before, after, message) => {
  const { secret, account_id } = await newKey();

  const response = await call(messageUrl(account_id), { headers: { Authorization: `${before}${secret}${after}` } });

  expect(await response.json()).toEqual({ message });
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
    ["messages:read:{mail.example.com}", {}, 403],
    ["messages:read:{com}", {}, 403],
  ])("%s applies to the domain of the sender, or of an incoming message's recipient: %j", async (...row) => {
    const [scope, fields, status] = row;

    expect((await readWith([parseScope(scope) ?? ""], fields)).status).toBe(status);
  });
});
