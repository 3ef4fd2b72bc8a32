/** The service under check: where it is, what was made in its table for the checks, and how it is called. */
import { randomUUID } from "node:crypto";
import { DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { createApiKey, revokeApiKey } from "../../lib/api-keys/store.ts";
import type { NewMessage } from "../../lib/messages/message.ts";
import { storeMessage } from "../../lib/messages/store-message.ts";
import {
  apiKeyKey,
  apiKeyListingKey,
  idempotencyRecordKey,
  memberKey,
  messagePartition,
  userKey,
} from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { type Answer, type Ask, request } from "./request.ts";

export type Target = {
  /** Where the paths of the API begin. */
  url: string;
  table: Table;
  /** Those of its stack, where the service is one that was deployed to AWS. */
  outputs?: Outputs | undefined;
};

/** What a stack says of itself, by name. */
export type Outputs = Record<string, string>;

const hour = 60 * 60 * 1000;

export type MemberBody = Record<string, unknown>;

export type Service = ReturnType<typeof openService>;

/** Removes all items of a partition. */
const removePartition = async ({ client, name: TableName }: Table, pk: string): Promise<void> => {
  for (;;) {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ConsistentRead: true,
        Limit: 20,
      }),
    );
    if (Items.length === 0) return;
    await Promise.all(Items.map(({ sk }) => client.send(new DeleteCommand({ TableName, Key: { pk, sk } }))));
  }
};

/** What is made through it is removed by `remove`, whoever has written it: the checks or the service. */
export const openService = ({ url, table, outputs }: Target) => {
  const account_id = randomUUID();
  const partitions = new Set<string>();
  const made = (pk: string): void => {
    partitions.add(pk);
  };

  const newKey = async (scopes: string[] = ["*"], of = account_id, expires_at?: number) => {
    const { secret, apiKey } = await createApiKey(
      table,
      { account_id: of, scopes, label: "test:deployed", ...(expires_at && { expires_at }) },
      Date.now(),
    );
    for (const { pk } of [apiKeyKey(apiKey.id), apiKeyListingKey(of, apiKey.id), memberKey(of, "")]) made(pk);
    return { secret, id: apiKey.id };
  };

  const call = (path: string, secret: string | null, ask: Ask = {}): Promise<Answer> =>
    request(url + path, {
      ...ask,
      headers: { ...(secret !== null && { Authorization: `Bearer ${secret}` }), ...ask.headers },
    });

  return {
    url,
    table,
    outputs,
    account_id,
    newKey,
    call,
    revoke: (id: string) => revokeApiKey(table, id, Date.now()),

    /** Stores an email for an hour. */
    newMessage: async (raw: Uint8Array | null, fields: Partial<NewMessage> = {}): Promise<string> => {
      const id = randomUUID();
      made(messagePartition(account_id, id));
      const message = {
        id,
        account_id,
        domain_id: randomUUID(),
        direction: "outgoing" as const,
        message_id: `<${id}@example.com>`,
        subject: "A check",
        sender: "hello@example.com",
        recipient: "ada@example.org",
        status: "sent",
        retain_until: new Date(Date.now() + hour),
        ...fields,
      };
      await storeMessage(table, message, raw, Date.now());
      return id;
    },

    getMessage: (secret: string | null, id: string, ask: Ask = {}): Promise<Answer> =>
      call(`/v2/accounts/${account_id}/messages/${id}`, secret, ask),

    /** An email address that no user has. */
    newEmail: (): string => {
      const email = `${randomUUID()}@example.com`;
      made(userKey(email).pk);
      return email;
    },

    addMember: (
      secret: string | null,
      body: MemberBody | string,
      { key, of = account_id, headers }: { key?: string; of?: string; headers?: Record<string, string> } = {},
    ): Promise<Answer> => {
      if (key !== undefined) made(idempotencyRecordKey(of, key).pk);
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

    remove: async (): Promise<void> => {
      for (const pk of partitions) await removePartition(table, pk);
    },
  };
};
