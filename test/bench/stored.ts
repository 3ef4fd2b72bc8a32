/** The table's contents before a measurement: an API key, and each email as we and the peer store it. */
import { randomUUID } from "node:crypto";
import { createTable } from "../../infra/local/create-table.ts";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { findMessage } from "../../lib/messages/read/find-message.ts";
import { headFields } from "../../lib/messages/read/head-fields.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { newEmail } from "./email.ts";
import type { Caller } from "./events.ts";
import { newMessage } from "./message.ts";
import { storeRawMessage } from "./peer/raw-messages.ts";
import { each } from "./turns.ts";

/** The functions' table. Each run has its own table, so no run reads another run's items. */
export const tables = { TABLE_NAME: `bench-${randomUUID()}` };

export const newCaller = async (table: Table): Promise<Caller> => {
  const account_id = randomUUID();
  const { secret } = await createApiKey(table, { account_id, scopes: ["*"] }, Date.now());
  return { account_id, secret };
};

/** Creates the table, and stores an email of each size. Returns the caller, and the messages' ids by size. */
export const storeEmails = async <Size extends string>(
  sizes: Record<Size, number>,
): Promise<{ caller: Caller; ids: Record<Size, string> }> => {
  await createTable(tables.TABLE_NAME);
  const table = openTable({ name: tables.TABLE_NAME });
  const caller = await newCaller(table);
  const ids = each(sizes, () => randomUUID());
  for (const size of Object.keys(sizes) as Size[]) {
    const raw = newEmail(sizes[size]);
    const now = Date.now();
    await storeMessage(table, { ...newMessage(caller.account_id), id: ids[size] }, raw, now);
    const message = await findMessage(table, caller.account_id, ids[size], now);
    if (message)
      await storeRawMessage(table, { account_id: caller.account_id, id: ids[size], ...headFields(message) }, raw);
  }
  return { caller, ids };
};
