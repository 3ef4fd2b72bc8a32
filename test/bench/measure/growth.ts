/** Growth: Get Message in a table of 1,000 messages, and in a table of 100,000. */
import { randomUUID } from "node:crypto";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { createTable } from "../../../infra/local/create-table.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { headKey } from "../../../lib/table/keys.ts";
import { openTable, type Table } from "../../../lib/table/table.ts";
import { newEmail } from "../email.ts";
import { type Caller, getMessageEvent } from "../events.ts";
import { lastByteOf } from "../figure.ts";
import { newMessage } from "../message.ts";
import { type Row, row } from "../row.ts";
import { newCaller, tables } from "../stored.ts";
import { inTurns } from "../turns.ts";
import type { Workload } from "./workload.ts";

const batchSize = 25;
const parallelBatches = 8;
/** Each of these messages has its own email. */
const messagesRead = 25;

/** Puts the heads of messages. The heads have only their keys, because no request reads these messages. */
const fill = async (table: Table, { account_id }: Caller, count: number): Promise<void> => {
  const writeBatch = () => {
    const Items = Array.from({ length: batchSize }, () => headKey(account_id, randomUUID()));
    const puts = Items.map((Item) => ({ PutRequest: { Item } }));
    return table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: puts } }));
  };
  await pLimit(parallelBatches).map(Array(count / batchSize), writeBatch);
};

const prepare = async (count: number) => {
  const TABLE_NAME = `${tables.TABLE_NAME}-${count}`;
  await createTable(TABLE_NAME);
  const table = openTable({ name: TABLE_NAME });
  const caller = await newCaller(table);
  await fill(table, caller, count - messagesRead);
  const raw = newEmail(0);
  const messages = Array.from({ length: messagesRead }, () => newMessage(caller.account_id));
  for (const message of messages) await storeMessage(table, message, raw, Date.now());
  const events = messages.map(({ id }) => getMessageEvent(caller, id));
  return { TABLE_NAME, events };
};

export const measureGrowth = async ({ bundles }: Workload): Promise<Row[]> => {
  const tables = { small: await prepare(1000), large: await prepare(100_000) };
  const { small, large } = await inTurns(
    { small: bundles.getMessage, large: bundles.getMessage },
    {
      turn: (name) => tables[name].events,
      environment: (name) => ({ TABLE_NAME: tables[name].TABLE_NAME }),
      rounds: 12,
      warmUpTurns: 12,
      processes: 2,
    },
  );
  return [
    row(
      "Get Message in a table of 100,000 messages (ms)",
      { ours: lastByteOf(large) },
      { atMost: 1.2, of: ["ours among 1,000", lastByteOf(small)] },
    ),
  ];
};
