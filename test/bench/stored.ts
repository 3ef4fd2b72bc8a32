/** The tables' contents before a measurement: an API key, and each email as we and the peer store it. */
import { randomUUID } from "node:crypto";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTable } from "../../infra/local/create-table.ts";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { storeMessage } from "../../lib/messages/store-message.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { newEmail } from "./email.ts";
import type { Caller } from "./events.ts";
import { newMessage } from "./message.ts";
import { storeRawMessage } from "./peer/raw-messages.ts";

/** The functions' tables. Each run has its own, so no run reads another run's items. */
const run = randomUUID();
export const tables = {
  TABLE_NAME: `bench-${run}`,
  IDEMPOTENCY_TABLE_NAME: `bench-idempotency-${run}`,
};

/** Creates the table that Powertools' documentation describes. */
const createIdempotencyTable = async (): Promise<void> => {
  const client = new DynamoDBClient();
  await client.send(
    new CreateTableCommand({
      TableName: tables.IDEMPOTENCY_TABLE_NAME,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    }),
  );
  client.destroy();
};

/** The Message object without its content, as the peer stores it. */
const fieldsOf = (message: ReturnType<typeof newMessage>, now: number) => ({
  object: "message",
  ...message,
  created_at: new Date(now).toISOString(),
  updated_at: new Date(now).toISOString(),
  retain_until: new Date(Math.floor(Number(message.retain_until) / 1000) * 1000).toISOString(),
  is_bounce_notification: false,
  delivery_attempts: [],
  num_attempts: 0,
  click_count: 0,
  open_count: 0,
  sent_at: null,
  delivered_at: null,
});

export const newCaller = async (table: Table): Promise<Caller> => {
  const account_id = randomUUID();
  const { secret } = await createApiKey(table, { account_id, scopes: ["*"] }, Date.now());
  return { account_id, secret };
};

/** Creates the tables, and stores an email of each size. Returns the caller, and the messages' ids in order. */
export const storeEmails = async (sizes: number[]): Promise<{ caller: Caller; ids: string[] }> => {
  await createTable(tables.TABLE_NAME);
  await createIdempotencyTable();
  const table = openTable({ name: tables.TABLE_NAME });
  const caller = await newCaller(table);
  const ids: string[] = [];
  for (const bytes of sizes) {
    const message = newMessage(caller.account_id);
    const raw = newEmail(bytes);
    const now = Date.now();
    await storeMessage(table, message, raw, now);
    await storeRawMessage(table, fieldsOf(message, now), raw);
    ids.push(message.id);
  }
  return { caller, ids };
};
