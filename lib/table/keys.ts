/** The keys of all items in the table. Only this file builds partition keys (`pk`) and sort keys (`sk`). */
import { createHash } from "node:crypto";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const layout = { partitionKey: "pk", sortKey: "sk", timeToLive: "expires_at" } as const;

export type ItemKey = { pk: string; sk: string };

/** IAM policies tell kinds of items apart by the prefix of the partition key. */
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

/** No function's IAM role allows it to list an account's keys. */
export const apiKeyListingKey = (account_id: string, id: string) =>
  itemKey(itemTypes.apiKeysOfAccount + account_id, `API_KEY#${id}`);

/** The account id is part of the key, so a request can't read another account's message even by mistake. */
export const messagePartition = (account_id: string, id: string): string => `${itemTypes.message}${account_id}#${id}`;

/** The sort key `HEAD` comes before `SEGMENT`, so a single Query returns a message's head and its first segment. */
export const headSort = "HEAD";

export const segmentSort = (digest: string, index: number): string =>
  `SEGMENT#${digest}#${String(index).padStart(5, "0")}`;

export const headKey = (account_id: string, id: string) => itemKey(messagePartition(account_id, id), headSort);

/** Pages have different partition keys: under a single one, it took 32 seconds to store an email of 40 MiB. */
export const segmentKey = (account_id: string, id: string, digest: string, index: number, page = 0) => {
  const partition = messagePartition(account_id, id);
  return itemKey(page === 0 ? partition : `${partition}#${digest}#${page}`, segmentSort(digest, index));
};

/** Sorts after the head and the first segment, so that a Query for these two doesn't return it. */
export const pageListKey = (account_id: string, id: string, digest: string) =>
  itemKey(messagePartition(account_id, id), `SEGMENT_PAGES#${digest}`);

export const segmentsOf = (account_id: string, id: string) => itemKey(messagePartition(account_id, id), "SEGMENT");

/** @param email in lower case, because addresses that differ only in case belong to one user */
export const userKey = (email: string) => itemKey(itemTypes.user + email, "USER");

export const memberKey = (account_id: string, user_id: string) =>
  itemKey(itemTypes.account + account_id, `MEMBER#${user_id}`);

export const idempotencyRecordKey = (account_id: string, key: string) =>
  itemKey(`${itemTypes.idempotency}${account_id}#${sha256(key)}`, "IDEMPOTENCY");

/** Every event has its own partition key, so that a busy account can't overload a partition. */
export const eventKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.event}${account_id}#${sha256(id)}`, "EVENT");

export const messageMarkerKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.messageMarker}${account_id}#${id}`, "TRACE");
