/** The functions on the real engine, where the template's own policies decide what each may do. */
import { randomUUID } from "node:crypto";
import { DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { addAccountMember, getMessage, type Operation } from "../../lib/api/operations.ts";
import { storeMessage } from "../../lib/messages/store.ts";
import { type Call, type Permission, permissionFor, permissionsOf } from "../harness/permissions.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../harness/service.ts";

type Put = { Put: { Item: { pk: string } } };
type Input = { Key?: { pk: string }; ExpressionAttributeValues?: { ":pk": string }; TransactItems?: Put[] };

/** @param command as the SDK's middleware knows it, such as `GetItemCommand` */
const callsOf = (command: string, input: Input): Call[] =>
  input.TransactItems?.map(({ Put }) => ({
    action: "dynamodb:PutItem",
    key: Put.Item.pk,
    within: "TransactWriteItems",
  })) ?? [
    {
      action: `dynamodb:${command.replace(/Command$/, "")}`,
      key: input.Key?.pk ?? input.ExpressionAttributeValues?.[":pk"] ?? "",
    },
  ];

/** The service of one operation, of which every call is refused that its role does not allow. */
const startGuarded = async (operation: Operation) => {
  const permissions = permissionsOf(operation);
  const used = new Set<Permission>();
  let conflicts = 0;
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        for (const { action, key, within } of callsOf(commandName, args.input as Input)) {
          const permission = permissionFor(permissions, { action, key, within });
          if (!permission) throw new Error(`AccessDenied: ${action} on ${key}`);
          used.add(permission);
        }
        if (commandName === "TransactWriteItemsCommand" && conflicts-- > 0) {
          throw new TransactionCanceledException({
            $metadata: {},
            message: "conflict",
            CancellationReasons: Array(3).fill({ Code: "TransactionConflict" }),
          });
        }
        return next(args);
      },
    { step: "initialize" },
  );
  const url = await startService(() => noon, { name: table.name, client });
  const conflict = () => {
    conflicts = 1;
  };
  return { url, conflict, unused: () => permissions.filter((permission) => !used.has(permission)) };
};

test("Get Message is allowed all that it does, and nothing that it does not do", async () => {
  const { url, unused } = await startGuarded(getMessage);
  const { secret, account_id } = await newKey();
  const message = newMessage({ account_id });
  await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello\r\n"), noon);
  const get = (id: string) =>
    call(`${url}/v2/accounts/${account_id}/messages/${id}`, { headers: bearer(secret) });

  expect((await get(message.id)).status).toBe(200);
  expect((await get(randomUUID())).status).toBe(404);
  expect(unused()).toEqual([]);
});

test("Add Account Member is allowed all that it does, and nothing that it does not do", async () => {
  const { url, conflict, unused } = await startGuarded(addAccountMember);
  const { secret, account_id } = await newKey();
  const add = (email: string, key: string) =>
    call(`${url}/v2/accounts/${account_id}/members`, {
      method: "POST",
      headers: { ...bearer(secret), "Content-Type": "application/json", "Idempotency-Key": key },
      body: JSON.stringify({ email, role: "Developer" }),
    });

  expect((await add("ada@example.com", "one")).status).toBe(201);
  expect((await add("ada@example.com", "one")).status).toBe(201);
  expect((await add("bea@example.com", "one")).status).toBe(422);
  expect((await add("ada@example.com", "two")).status).toBe(409);
  conflict();
  expect((await add("cleo@example.com", "three")).status).toBe(201);
  expect(unused()).toEqual([]);
});
