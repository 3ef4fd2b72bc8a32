/** Reads what a row of the search shows, for about half a read unit, however many attempts the message has. */
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { StoredAttempt } from "../../lib/messages/attempt.ts";
import type { Head } from "../../lib/messages/head.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import { isLive } from "../../lib/table/expiry.ts";
import { queryRange } from "../../lib/table/get.ts";
import { endOfAttempts, headKey, headSort } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { deskMessageOf } from "./desk-message.ts";
import type { DeskMessage } from "./served.ts";

type Item = Head & StoredAttempt & { sk: string };

/** Most messages have no more. Of others, the row shows the first ones and the last one. */
const firstAttempts = 2;

const lastAttempt = async (table: Table, { account_id, id }: MessageRef): Promise<StoredAttempt[]> => {
  const { pk, sk } = headKey(account_id, id);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":pk": pk, ":from": sk, ":to": endOfAttempts },
      ScanIndexForward: false,
      Limit: 1,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  return Items as StoredAttempt[];
};

/** Returns `null` if the message has expired or was deleted. */
export const readRow = async (table: Table, ref: MessageRef, now: number): Promise<DeskMessage | null> => {
  const from = headKey(ref.account_id, ref.id);
  const range = { from, to: endOfAttempts, limit: 1 + firstAttempts, consistent: false };
  const [head, ...first] = await queryRange<Item>(table, range);
  if (head?.sk !== headSort || !isLive(head, now)) return null;
  const hasMore = head.num_attempts > firstAttempts;
  const attempts: StoredAttempt[] = hasMore ? [...first, ...(await lastAttempt(table, ref))] : first;
  // An attempt of an earlier message with the same id expired with that message.
  return deskMessageOf(
    head,
    attempts.filter(({ expires_at }) => expires_at === head.expires_at),
  );
};
