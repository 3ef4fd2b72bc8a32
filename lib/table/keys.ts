/** The keys of the single-table layout. Only this file builds the `pk` and `sk` of items. */
import { createHash } from "node:crypto";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** For whoever creates the table. */
export const layout = { partitionKey: "pk", sortKey: "sk", timeToLive: "expires_at" } as const;

export type ItemKey = { pk: string; sk: string };

/** IAM policies tell item types apart by these prefixes of the partition key. */
export const itemTypes = {
  apiKey: "API_KEY#",
  apiKeysOfAccount: "API_KEYS#",
  message: "MESSAGE#",
  user: "USER#",
  account: "ACCOUNT#",
  idempotency: "IDEMPOTENCY#",
  event: "EVENT#",
  messageMarker: "TRACE#",
} as const;

const itemKey = (pk: string, sk: string): ItemKey => ({ pk, sk });

/** @param id the SHA-256 digest of the secret, in hex */
export const apiKeyKey = (id: string) => itemKey(itemTypes.apiKey + id, "API_KEY");

/** An entry of an account's list of keys, which no function may read. */
export const apiKeyListingKey = (account_id: string, id: string) =>
  itemKey(itemTypes.apiKeysOfAccount + account_id, `API_KEY#${id}`);

/** With the account id in the key, a request can't read another account's message even by mistake. */
export const messagePartition = (account_id: string, id: string): string => `${itemTypes.message}${account_id}#${id}`;

/** `HEAD` sorts before `SEGMENT`, so one Query returns the head and the first segment. */
export const headSort = "HEAD";

export const segmentSort = (digest: string, index: number): string =>
  `SEGMENT#${digest}#${String(index).padStart(5, "0")}`;

export const headKey = (account_id: string, id: string) => itemKey(messagePartition(account_id, id), headSort);

/**
 * Page 0 is the first segment, which lies beside the head. Each further page has a partition of its own, because one
 * partition takes 1 MB of writes and 24 MB of eventually consistent reads a second: 40 MiB would take 32 seconds to
 * store. IAM policies cover the pages, because their partition keys begin like the message's.
 */
export const segmentKey = (account_id: string, id: string, digest: string, index: number, page = 0) => {
  const partition = messagePartition(account_id, id);
  return itemKey(page === 0 ? partition : `${partition}#${digest}#${page}`, segmentSort(digest, index));
};

/**
 * The key of the item that lists a content's pages, so that a delete finds them. `_` sorts behind `#`, so the Query for
 * the head and the first segment never returns a page list instead.
 */
export const pageListKey = (account_id: string, id: string, digest: string) =>
  itemKey(messagePartition(account_id, id), `SEGMENT_PAGES#${digest}`);

/** The key prefix of a message's first segments and of its lists of pages. */
export const segmentsOf = (account_id: string, id: string) => itemKey(messagePartition(account_id, id), "SEGMENT");

/** @param email in lower case, so that addresses that differ only in case mean the same user */
export const userKey = (email: string) => itemKey(itemTypes.user + email, "USER");

export const memberKey = (account_id: string, user_id: string) =>
  itemKey(itemTypes.account + account_id, `MEMBER#${user_id}`);

export const idempotencyRecordKey = (account_id: string, key: string) =>
  itemKey(`${itemTypes.idempotency}${account_id}#${sha256(key)}`, "IDEMPOTENCY");

/** Each event has a partition of its own, so no busy account makes one hot. The id may hold anything, so we digest it. */
export const eventKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.event}${account_id}#${sha256(id)}`, "EVENT");

export const messageMarkerKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.messageMarker}${account_id}#${id}`, "TRACE");
