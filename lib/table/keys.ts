/** The single-table layout: the only place that spells a key. */
import { createHash } from "node:crypto";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What creates the table, on AWS and on this machine alike. */
export const layout = { partitionKey: "pk", sortKey: "sk", timeToLive: "expires_at" } as const;

export type ItemKey = { pk: string; sk: string };

/** Partition key prefixes: what a function may touch is granted by them. */
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

/** @param id the SHA-256 of the key, in hex */
export const apiKeyKey = (id: string): ItemKey => ({ pk: itemTypes.apiKey + id, sk: "API_KEY" });

/** Lists a key under its account. No function is granted it: only an operator lists keys. */
export const apiKeyListingKey = (account_id: string, id: string): ItemKey => ({
  pk: itemTypes.apiKeysOfAccount + account_id,
  sk: `API_KEY#${id}`,
});

/** A message is its own partition, and its account part of the key: no account can reach another's. */
export const messagePartition = (account_id: string, id: string): string =>
  `${itemTypes.message}${account_id}#${id}`;

/** The head sorts before the segments, so that one Query returns it and the content that follows. */
export const headSort = "HEAD";

/** @param digest what the segments of one content have in common, and no other content under the same id */
export const segmentSort = (digest: string, index: number): string =>
  `SEGMENT#${digest}#${String(index).padStart(5, "0")}`;

export const headKey = (account_id: string, id: string): ItemKey => ({
  pk: messagePartition(account_id, id),
  sk: headSort,
});

export const segmentKey = (account_id: string, id: string, digest: string, index: number): ItemKey => ({
  pk: messagePartition(account_id, id),
  sk: segmentSort(digest, index),
});

/** What the keys of a message's segments begin with: those of one content, or of all under its id. */
export const segmentsOf = (account_id: string, id: string, digest?: string): ItemKey => ({
  pk: messagePartition(account_id, id),
  sk: digest === undefined ? "SEGMENT#" : `SEGMENT#${digest}#`,
});

/** @param email in lower case: a user is one person across accounts, however they spell their address */
export const userKey = (email: string): ItemKey => ({ pk: itemTypes.user + email, sk: "USER" });

export const memberKey = (account_id: string, user_id: string): ItemKey => ({
  pk: itemTypes.account + account_id,
  sk: `MEMBER#${user_id}`,
});

export const idempotencyRecordKey = (account_id: string, key: string): ItemKey => ({
  pk: `${itemTypes.idempotency}${account_id}#${sha256(key)}`,
  sk: "IDEMPOTENCY",
});

/** An event that is recorded. Each is its own partition: no account, however busy, makes a hot one. */
export const eventKey = (account_id: string, id: string): ItemKey => ({
  pk: `${itemTypes.event}${account_id}#${sha256(id)}`,
  sk: "EVENT",
});

/** That there has been such a message. */
export const messageMarkerKey = (account_id: string, id: string): ItemKey => ({
  pk: `${itemTypes.messageMarker}${account_id}#${id}`,
  sk: "TRACE",
});
