/** The keys of the single-table layout. Only this file builds the `pk` and `sk` of items. */
import { createHash } from "node:crypto";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The attribute names with which the stack and the local server create the table. */
export const layout = { partitionKey: "pk", sortKey: "sk", timeToLive: "expires_at" } as const;

export type ItemKey = { pk: string; sk: string };

/** The partition key prefix of each item type. IAM policies use the prefixes to limit access by item type. */
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

/** The DynamoDB key of an item in the list of an account's API keys. Only operators may read the list. */
export const apiKeyListingKey = (account_id: string, id: string) =>
  itemKey(itemTypes.apiKeysOfAccount + account_id, `API_KEY#${id}`);

/** Each message has its own partition. The account id in the key prevents reads of other accounts' messages. */
export const messagePartition = (account_id: string, id: string): string =>
  `${itemTypes.message}${account_id}#${id}`;

/** The sort key of a message's head. `HEAD` sorts before `SEGMENT`, so one Query returns the head and segments. */
export const headSort = "HEAD";

export const segmentSort = (digest: string, index: number): string =>
  `SEGMENT#${digest}#${String(index).padStart(5, "0")}`;

export const headKey = (account_id: string, id: string) =>
  itemKey(messagePartition(account_id, id), headSort);

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
 * The item that says which pages a content has, so that they can be found and deleted. `_` sorts behind `#`: every first
 * segment comes before it, and the Query for the head and the first segment never returns it instead.
 */
export const pageListKey = (account_id: string, id: string, digest: string) =>
  itemKey(messagePartition(account_id, id), `SEGMENT_PAGES#${digest}`);

/** The key prefix of a message's first segments and of its lists of pages. */
export const segmentsOf = (account_id: string, id: string) =>
  itemKey(messagePartition(account_id, id), "SEGMENT");

/** @param email in lower case, so that addresses that differ only in case mean the same user */
export const userKey = (email: string) => itemKey(itemTypes.user + email, "USER");

export const memberKey = (account_id: string, user_id: string) =>
  itemKey(itemTypes.account + account_id, `MEMBER#${user_id}`);

export const idempotencyRecordKey = (account_id: string, key: string) =>
  itemKey(`${itemTypes.idempotency}${account_id}#${sha256(key)}`, "IDEMPOTENCY");

/** The key of an event record. Each event record has its own partition, so a busy account causes no hot partition. */
export const eventKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.event}${account_id}#${sha256(id)}`, "EVENT");

/** The key of a message marker, which remains in the table after its message is deleted. */
export const messageMarkerKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.messageMarker}${account_id}#${id}`, "TRACE");
