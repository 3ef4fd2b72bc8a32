import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { createApiKey, revokeApiKey } from "../../../lib/api-keys/store.ts";
import { newMember, removeMember, setMemberRole } from "../../../lib/members/store.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { memberKey } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { startFaultyEngine } from "../../harness/faulty-engine.ts";
import { newMessage, noon, table } from "../../harness/service.ts";

const account_id = randomUUID();

const stored = async () => {
  const message = newMessage({ account_id });
  await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello"), noon);
  return message;
};

const joined = async () => {
  const member = newMember(account_id, randomUUID(), "Developer", noon);
  const Item = { ...memberKey(account_id, member.user_id), ...member };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
  return member;
};

/** Each function creates an item, and returns the change to test. */
const changes: Record<string, () => Promise<(busy: Table) => Promise<boolean>>> = {
  "revoking a key": async () => {
    const { apiKey } = await createApiKey(table, { account_id, scopes: ["*"], label: "key" }, noon);
    return (busy) => revokeApiKey(busy, apiKey.id, noon);
  },
  "setting a role": async () => {
    const member = await joined();
    return (busy) => setMemberRole(busy, member, "Analyst", noon);
  },
  "removing a member": async () => {
    const member = await joined();
    return (busy) => removeMember(busy, member);
  },
  "deleting a message": async () => {
    const message = await stored();
    return async (busy) => (await deleteMessage(busy, message, noon)) === "deleted";
  },
  "removing a content": async () => {
    const message = await stored();
    return (busy) => removeContent(busy, message, noon);
  },
};

const isWrite = (operation: string) => /^(Put|Update|Delete)Item$/.test(operation);

test.for(
  Object.keys(changes).flatMap((name) =>
    ["TransactionConflictException", "ThrottlingException"].map((error) => [error, name] as const),
  ),
)("%s is retried while %s", async ([error, name]) => {
  const change = await changes[name]?.();
  const { table: busy, failWith } = await startFaultyEngine();
  let left = 4;
  failWith((operation) => (isWrite(operation) && left-- > 0 ? { error } : undefined));

  expect(await change?.(busy)).toBe(true);

  expect(left).toBeLessThan(0);
});

test.for(Object.keys(changes))(
  "A write that is forbidden is an error, and not a failed condition: %s",
  async (name) => {
    const change = await changes[name]?.();
    const { table: forbidden, failWith } = await startFaultyEngine();
    failWith((operation) => (isWrite(operation) ? { error: "AccessDeniedException" } : undefined));

    await expect(change?.(forbidden)).rejects.toThrow("AccessDeniedException");
  },
);
