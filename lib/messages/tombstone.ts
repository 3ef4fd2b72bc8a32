/**
 * A tombstone takes the place of a deleted head. If another call is about to write a head, its condition then fails.
 *
 *   deletion begins ──▶ tombstone in the index of persons ──▶ everything else is deleted ──▶ tombstone out of the index
 */

import { randomUUID } from "node:crypto";
import { PutCommand, type PutCommandInput } from "@aws-sdk/lib-dynamodb";
import { epochSeconds } from "../table/expiry.ts";
import { headKey } from "../table/keys.ts";
import { retryWrite, succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { daySeconds } from "../time/clock.ts";
import type { Head } from "./head.ts";
import type { MessageRef } from "./message-ref.ts";

export type Tombstone = Pick<Head, "content_digest" | "expires_at" | "person">;

/** A time that is past even for a slow clock. */
const pastSeconds = (now: number): number => epochSeconds(now) - daySeconds;

/** TTL deletes nothing that expired more than five years ago, so this tombstone stays until its deletion has ended. */
export const unendingSeconds = 1;

/**
 * What isn't a message for a reader, but has to be found by whoever erases a person: the first segment, and the
 * tombstone of a deletion that has not ended. In the index, they sort after all messages.
 */
export const leftoverTime = (created_at: string): string => `LEFTOVER#${created_at}`;

export const tombstonePut = (table: Table, { account_id, id }: MessageRef, now: number): PutCommandInput => {
  const tombstone: Tombstone = { content_digest: randomUUID(), expires_at: pastSeconds(now) };
  return { TableName: table.name, Item: { ...headKey(account_id, id), ...tombstone } };
};

/** Returns what the tombstone has replaced, and how to end the deletion. */
export const beginDeletion = async (table: Table, message: MessageRef, now: number, person: string | undefined) => {
  const put = tombstonePut(table, message, now);
  const begun = {
    ...put.Item,
    expires_at: unendingSeconds,
    ...(person && { person, created_at: leftoverTime(new Date(now).toISOString()) }),
  };
  const input = { ...put, Item: begun, ReturnValues: "ALL_OLD" } as const;
  const { Attributes } = await retryWrite(() => table.client.send(new PutCommand(input)), table.deadline);
  const end = (): Promise<boolean> => {
    const unchanged = {
      ConditionExpression: "content_digest = :digest",
      ExpressionAttributeValues: { ":digest": put.Item?.content_digest },
    };
    return succeeds(() => table.client.send(new PutCommand({ ...put, ...unchanged })), table.deadline);
  };
  return { replaced: Attributes as Partial<Head> | undefined, end };
};
