/** The service under test: where it is, its table, and whatever the checks create in it. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { createApiKey, revokeApiKey } from "../../lib/api-keys/store.ts";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import {
  apiKeyKey,
  apiKeyListingKey,
  eventKey,
  idempotencyRecordKey,
  markerKey,
  memberKey,
  messagePartition,
  userKey,
} from "../../lib/table/keys.ts";
import { retryWrite } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";
import { type Received, request, type Sent } from "./request.ts";

export type Outputs = Record<string, string>;

export type Target = {
  url: string;
  table: Table;
  /** Only a stack has outputs; `npm start` has none. */
  outputs?: Outputs | undefined;
};

/** With more deletes at once, DynamoDB throttles the partition. */
const parallelDeletes = 3;

const deletePartition = async ({ client, name: TableName }: Table, pk: string): Promise<void> => {
  const limit = pLimit(parallelDeletes);
  const query = new QueryCommand({
    TableName,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk },
    ConsistentRead: true,
  });
  for (;;) {
    const { Items = [] } = await retryWrite(() => client.send(query));
    if (Items.length === 0) return;
    const deletes = Items.map(({ sk }) => new DeleteCommand({ TableName, Key: { pk, sk } }));
    await Promise.all(deletes.map((one) => limit(() => retryWrite(() => client.send(one)))));
  }
};

/** Goes on to the last partition even if one of them can't be deleted, and throws then. */
export const deletePartitions = async (table: Table, partitions: Iterable<string>): Promise<void> => {
  const failures: unknown[] = [];
  for (const pk of partitions) await deletePartition(table, pk).catch((error) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `Partitions that are not deleted: ${failures.length}`);
};

const retryPauses = [500, 1000, 2000];

/** Retries after a 429 or a 5xx, which a busy account gets and few checks are about. */
const requestWithRetries = async (url: string, sent: Sent): Promise<Received> => {
  for (const pause of retryPauses) {
    const received = await request(url, sent);
    if (received.status !== 429 && received.status < 500) return received;
    await sleep(pause);
  }
  return request(url, sent);
};

export type Service = ReturnType<typeof openService>;

/** `cleanUp` deletes all that the checks, and the service on their behalf, have written. */
export const openService = ({ url, table, outputs }: Target) => {
  const account_id = randomUUID();
  const partitions = new Set<string>();

  const newKey = async (scopes: string[] = ["*"], of = account_id, expires_at?: number) => {
    const { secret, apiKey } = await createApiKey(
      table,
      { account_id: of, scopes, label: "test:deployed", ...(expires_at && { expires_at }) },
      Date.now(),
    );
    partitions.add(apiKeyKey(apiKey.id).pk);
    partitions.add(apiKeyListingKey(of, apiKey.id).pk);
    partitions.add(memberKey(of, "").pk);
    return { secret, id: apiKey.id };
  };

  const call = (path: string, secret: string | null, sent: Sent = {}): Promise<Received> =>
    requestWithRetries(url + path, {
      ...sent,
      headers: { ...(secret !== null && { Authorization: `Bearer ${secret}` }), ...sent.headers },
    });

  /** A message that expires after a day, in case nobody cleans up. */
  const messageFields = (fields: Partial<NewMessage> = {}): NewMessage => {
    const id = randomUUID();
    partitions.add(messagePartition(account_id, id));
    partitions.add(markerKey(account_id, id).pk);
    return {
      id,
      account_id,
      domain_id: randomUUID(),
      direction: "outgoing",
      message_id: `<${id}@example.com>`,
      subject: "A check",
      sender: "hello@example.com",
      recipient: "ada@example.org",
      status: "sent",
      retain_until: new Date(Date.now() + dayMilliseconds),
      ...fields,
    };
  };

  return {
    url,
    table,
    outputs,
    account_id,
    newKey,
    call,
    messageFields,
    revoke: (id: string) => revokeApiKey(table, id, Date.now()),

    /** Returns the id of the message. */
    newMessage: async (raw: Uint8Array | null, fields: Partial<NewMessage> = {}): Promise<string> => {
      const message = messageFields(fields);
      await storeMessage(table, message, raw, Date.now());
      return message.id;
    },

    getMessage: (secret: string | null, id: string, sent: Sent = {}): Promise<Received> =>
      call(`/v2/accounts/${account_id}/messages/${id}`, secret, sent),

    /** An address that no user has. */
    newEmail: (): string => {
      const email = `${randomUUID()}@example.com`;
      partitions.add(userKey(email).pk);
      return email;
    },

    addMember: (
      secret: string | null,
      body: object | string,
      { key, of = account_id, headers }: { key?: string; of?: string; headers?: Record<string, string> } = {},
    ): Promise<Received> => {
      if (key !== undefined) partitions.add(idempotencyRecordKey(of, key).pk);
      return call(`/v2/accounts/${of}/members`, secret, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(key !== undefined && { "Idempotency-Key": key }),
          ...headers,
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    },

    newEventId: (): string => {
      const id = randomUUID();
      partitions.add(eventKey(account_id, id).pk);
      return id;
    },

    cleanUp: (): Promise<void> => deletePartitions(table, partitions),
  };
};
