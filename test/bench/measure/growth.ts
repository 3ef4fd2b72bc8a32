/** Growth: Get Message on a table of 1,000 messages and on one of 100,000. */
import { randomUUID } from "node:crypto";
import { BatchWriteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { createTable } from "../../../infra/local/create-table.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import { headKey } from "../../../lib/table/keys.ts";
import { openTable, type Table } from "../../../lib/table/table.ts";
import { newEmail } from "../email.ts";
import { type Caller, getMessageEvent } from "../events.ts";
import { figure } from "../figure.ts";
import { type LoadedFunction, startFunction } from "../function.ts";
import { inRounds } from "../rounds.ts";
import { type Row, row } from "../row.ts";
import { newCaller, newMessage, tables } from "../stored.ts";
import type { Workload } from "./workload.ts";

const counts = ["1000", "100000"] as const;
type Count = (typeof counts)[number];

const batchSize = 25;
const parallelBatches = 4;
/** As many messages are read in turn, each with an email of its own. */
const messagesRead = 100;

/** Copies the head of a message whose email is not available until the table has so many messages. */
const fill = async (table: Table, { account_id }: Caller, count: number): Promise<void> => {
  const message = newMessage(account_id);
  await storeMessage(table, message, null, Date.now());
  const { Item: head } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: headKey(account_id, message.id) }),
  );
  let missing = count - 1;
  const writeAll = async (): Promise<void> => {
    while (missing > 0) {
      const puts = Array.from({ length: Math.min(batchSize, missing) }, () => {
        const id = randomUUID();
        return { PutRequest: { Item: { ...head, ...headKey(account_id, id), id } } };
      });
      missing -= puts.length;
      await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: puts } }));
    }
  };
  await Promise.all(Array.from({ length: parallelBatches }, writeAll));
};

const storeRead = async (table: Table, { account_id }: Caller): Promise<string[]> => {
  const raw = newEmail(0);
  const messages = Array.from({ length: messagesRead }, () => newMessage(account_id));
  for (const message of messages) await storeMessage(table, message, raw, Date.now());
  return messages.map(({ id }) => id);
};

export const measureGrowth = async ({ bundles }: Workload, rounds: number): Promise<Row[]> => {
  const functions = {} as Record<Count, LoadedFunction>;
  const events = {} as Record<Count, ReturnType<typeof getMessageEvent>[]>;
  for (const count of counts) {
    const TABLE_NAME = `${tables.TABLE_NAME}-${count}`;
    await createTable(TABLE_NAME);
    const table = openTable({ name: TABLE_NAME });
    const caller = await newCaller(table);
    await fill(table, caller, Number(count) - messagesRead);
    events[count] = (await storeRead(table, caller)).map((id) => getMessageEvent(caller, id));
    functions[count] = await startFunction(bundles.getMessage.ours, { TABLE_NAME });
    await functions[count].run({ events: events[count], milliseconds: 2000 });
  }
  const reports = await inRounds(rounds, counts, (count) => functions[count].run({ events: events[count] }));
  await Promise.all(counts.map((count) => functions[count].stop()));
  const latency = (count: Count) =>
    figure(reports[count].map(({ invocations }) => figure(invocations.map(({ last }) => last)).median));
  return [
    row(
      "Get Message in a table of 100,000 messages (ms)",
      { ours: latency("100000") },
      { atMost: 1.2, of: ["ours among 1,000", latency("1000")] },
    ),
  ];
};
