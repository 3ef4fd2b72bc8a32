/** The keys of the single-table layout. No other file spells a key. */
import { createHash } from "node:crypto";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The attributes that the stack and the local server create the table with. */
export const layout = { partitionKey: "pk", sortKey: "sk", timeToLive: "expires_at" } as const;

export type ItemKey = { pk: string; sk: string };

/** The partition key prefix of each item type. Permissions name these prefixes. */
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

/** The item that lists an API key under its account. Only operators list keys, so no function may read it. */
export const apiKeyListingKey = (account_id: string, id: string) =>
  itemKey(itemTypes.apiKeysOfAccount + account_id, `API_KEY#${id}`);

/** Each message has its own partition. The account is part of the key, so no account can read another account's. */
export const messagePartition = (account_id: string, id: string): string =>
  `${itemTypes.message}${account_id}#${id}`;

/** The head sorts before the segments, so one Query returns both. */
export const headSort = "HEAD";

/** @param digest the digest of the content. Segments of other contents of the message have other digests. */
export const segmentSort = (digest: string, index: number): string =>
  `SEGMENT#${digest}#${String(index).padStart(5, "0")}`;

export const headKey = (account_id: string, id: string) =>
  itemKey(messagePartition(account_id, id), headSort);

export const segmentKey = (account_id: string, id: string, digest: string, index: number) =>
  itemKey(messagePartition(account_id, id), segmentSort(digest, index));

/** The start of the keys of a message's segments. With a digest, only of the segments of that content. */
export const segmentsOf = (account_id: string, id: string, digest?: string) =>
  itemKey(messagePartition(account_id, id), digest === undefined ? "SEGMENT#" : `SEGMENT#${digest}#`);

/** @param email in lower case, so that every spelling of an address means the same user */
export const userKey = (email: string) => itemKey(itemTypes.user + email, "USER");

export const memberKey = (account_id: string, user_id: string) =>
  itemKey(itemTypes.account + account_id, `MEMBER#${user_id}`);

export const idempotencyRecordKey = (account_id: string, key: string) =>
  itemKey(`${itemTypes.idempotency}${account_id}#${sha256(key)}`, "IDEMPOTENCY");

/** A recorded event. Each event has its own partition, so a busy account makes no hot partition. */
export const eventKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.event}${account_id}#${sha256(id)}`, "EVENT");

/** The message marker. It outlives its message. */
export const messageMarkerKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.messageMarker}${account_id}#${id}`, "TRACE");
