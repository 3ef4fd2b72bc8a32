/** The real functions over HTTP, on a table of the real engine. */
import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { createTable } from "../../infra/local/create-table.ts";
import { gateway } from "../../infra/local/gateway.ts";
import type { LambdaHandler } from "../../infra/local/lambda.ts";
import type { ApiKey } from "../../lib/api-keys/api-key.ts";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { applyChange } from "../../lib/events/apply-events.ts";
import type { ChangeEvent } from "../../lib/events/event.ts";
import type { Outcome } from "../../lib/events/outcome.ts";
import { operations } from "../../lib/http/operations.ts";
import { keyOfSegment, type Pages } from "../../lib/messages/content/pages.ts";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import type { Clock } from "../../lib/table/expiry.ts";
import { messagePartition } from "../../lib/table/keys.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";
import { listen } from "./listen.ts";

/** A time far in the future, so that TTL of a real engine deletes no item during a test. */
export const noon = Date.parse("2096-11-20T12:00:00.000Z");
export const day = dayMilliseconds;

await createTable(process.env.TABLE_NAME ?? "");
export const table: Table = openTable();

/** A module of functions/. A test passes its own table and clock. */
type Maker = { createHandler: (table: Table, clock: Clock) => LambdaHandler };

const makers = await Promise.all(
  operations.map(async (operation) => {
    const { createHandler }: Maker = await import(new URL(`../../${operation.file}`, import.meta.url).href);
    return { operation, createHandler };
  }),
);

/** Serves every operation until the test ends. By default, the clock always returns noon. Returns the URL. */
export const startService = async (clock: Clock = () => noon, on: Table = table): Promise<string> => {
  const server = gateway(
    makers.map(({ operation, createHandler }) => ({ operation, handler: createHandler(on, clock) })),
  );
  return `http://127.0.0.1:${await listen(server)}`;
};

/** Creates an API key with all scopes for a new account. `grant` changes its fields. */
export const newKey = async (
  grant: Partial<ApiKey> = {},
): Promise<{ secret: string; account_id: string; id: string }> => {
  const account_id = grant.account_id ?? randomUUID();
  const { secret, apiKey } = await createApiKey(table, { scopes: ["*"], ...grant, account_id }, noon);
  return { secret, account_id, id: apiKey.id };
};

export { call } from "./contract.ts";

export const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });

/** Returns a message with default fields. */
export const newMessage = (fields: Partial<NewMessage> & { account_id: string }): NewMessage => ({
  id: randomUUID(),
  domain_id: randomUUID(),
  direction: "outgoing",
  message_id: "<1@example.com>",
  subject: "Hello",
  sender: "hello@example.com",
  recipient: "ada@example.org",
  status: "sent",
  retain_until: new Date(noon + 30 * day),
  ...fields,
});

type MessageRef = { account_id: string; id: string };

type EventFields<Event = ChangeEvent> = Event extends ChangeEvent
  ? Omit<Event, "id" | "account_id" | "message">
  : never;

/** Records an event of a message under a new event id. */
export const recordEvent = (
  { account_id, id }: MessageRef,
  what: EventFields,
  now = noon,
  on: Table = table,
): Promise<Outcome> => applyChange(on, { ...what, id: randomUUID(), account_id, message: { id } }, now);

export const opened = { type: "message.opened" } as const;
export const clicked = { type: "message.clicked" } as const;
export const status = (status: string, time: string, known: object = {}) =>
  ({ type: "message.status", status, time, ...known }) as const;
export const attempted = (time: number, log = "", status = "deferred") =>
  ({ type: "message.delivery_attempt", time: new Date(time).toISOString(), log, status }) as const;

export type StoredItem = {
  pk: string;
  sk: string;
  expires_at: number;
  bytes?: Uint8Array;
  updated_at?: string;
  pages?: Pages;
};

const inPartition = async (pk: string): Promise<StoredItem[]> => {
  const items: StoredItem[] = [];
  const pages = paginateQuery(
    { client: DynamoDBDocumentClient.from(new DynamoDBClient()) },
    {
      TableName: table.name,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) items.push(...(Items as StoredItem[]));
  return items;
};

/** Returns the items beside a message's head in the order of their keys, and then those of the listed pages. */
export const itemsOf = async ({ account_id, id }: MessageRef): Promise<StoredItem[]> => {
  const own = messagePartition(account_id, id);
  const beside = await inPartition(own);
  const listed = beside.flatMap(({ pages }) =>
    Array.from({ length: pages?.segments ?? 0 }, (_, index) =>
      pages ? keyOfSegment({ account_id, id }, pages, index).pk : own,
    ),
  );
  const further = [...new Set(listed)].filter((pk) => pk !== own);
  return [beside, ...(await Promise.all(further.map(inPartition)))].flat();
};

/** Returns the segments of a message in order. */
export const segmentItemsOf = async (message: MessageRef): Promise<StoredItem[]> =>
  (await itemsOf(message)).filter(({ bytes }) => bytes);

/** Deletes one segment of a message, from the end if `index` is negative. No known fault does this. */
export const loseSegment = async (message: MessageRef, index: number): Promise<void> => {
  const { pk, sk } = (await segmentItemsOf(message)).at(index) ?? {};
  const Key = { pk, sk };
  await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
};
