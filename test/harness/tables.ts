/** Tables beside the one that all tests of a file share, for commands that read a whole table. */
import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { vi } from "vitest";
import { createTable } from "../../infra/local/create-table.ts";
import { newMember, newUser, putMember, putUser, type StoredMember, type User } from "../../lib/members/store.ts";
import type { ItemKey } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { transact } from "../../lib/table/transact.ts";
import { table } from "./service.ts";

type Item = ItemKey & Record<string, unknown>;

/** Returns an empty table, on which the operator's commands then work. */
export const freshTable = async (): Promise<Table> => {
  const name = `fresh-${randomUUID()}`;
  await createTable(name);
  vi.stubEnv("TABLE_NAME", name);
  return { ...table, name };
};

/** Returns all items, in the order of their keys. */
export const itemsIn = async ({ name }: Table): Promise<Item[]> => {
  const items: Item[] = [];
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  for await (const { Items = [] } of paginateScan({ client }, { TableName: name, ConsistentRead: true })) {
    items.push(...(Items as Item[]));
  }
  return items.sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));
};

/** Puts the items into a new table, as a restore does. */
export const restore = async (items: Item[]): Promise<Table> => {
  const restored = await freshTable();
  for (let start = 0; start < items.length; start += 25) {
    const puts = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [restored.name]: puts } }));
  }
  return restored;
};

/** Adds a member, who may be a user already. */
export const join = async (
  on: Table,
  account_id: string,
  email: string,
  user: User = newUser(email, Date.now()),
  role: StoredMember["role"] = "Analyst",
): Promise<StoredMember & { user: User }> => {
  const member = { ...newMember(account_id, user.id, role, Date.now()), email };
  await transact(on, [putUser(on, user, Date.now())]);
  await transact(on, [putMember(on, member, Date.now())]);
  return { ...member, user };
};
