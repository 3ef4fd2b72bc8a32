/** The keys of all items in the table. Only this file builds partition keys (`pk`) and sort keys (`sk`). */
import { createHash } from "node:crypto";
import { normalAddress } from "../addresses/person.ts";

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
  marker: "MARKER#",
  sender: "SENDER#",
  /** Only in the index. */
  person: "PERSON#",
} as const;

/**
 * The table's only index finds messages and members by a person's address. It is sparse: an item without `person` is
 * not in it. It has only keys, so an event, which changes the head, doesn't write to it.
 */
export const personIndex = { name: "person", partitionKey: "person", sortKey: "created_at" } as const;

const itemKey = (pk: string, sk: string): ItemKey => ({ pk, sk });

/** @param id the SHA-256 digest of the secret, in hex */
export const apiKeyKey = (id: string) => itemKey(itemTypes.apiKey + id, "API_KEY");

/** No function's IAM role allows it to list an account's keys. */
export const apiKeyListingKey = (account_id: string, id: string) =>
  itemKey(itemTypes.apiKeysOfAccount + account_id, `API_KEY#${id}`);

/** The account id is part of the key, so a request can't read another account's message even by mistake. */
export const messagePartition = (account_id: string, id: string): string => `${itemTypes.message}${account_id}#${id}`;

/** Which message an item of its partitions belongs to. */
export const messageOfKey = ({ pk }: Pick<ItemKey, "pk">): { account_id: string; id: string } => {
  const [, account_id = "", id = ""] = pk.split("#");
  return { account_id, id };
};

/** One Query from `HEAD` to the end of `SEGMENT#` returns a message's head, its attempts and its first segment. */
export const headSort = "HEAD";

/** A message's delivery attempts in the order of their times. */
const attemptSort = "HEAD#ATTEMPT#";

const segmentPrefix = "SEGMENT#";

export const segmentSort = (digest: string, index: number): string =>
  `${segmentPrefix}${digest}#${String(index).padStart(5, "0")}`;

export const isSegmentSort = (sort: string): boolean => sort.startsWith(segmentPrefix);

/** `~` sorts after every character of our sort keys. */
export const endOf = (sort: string): string => `${sort}~`;

export const endOfAttempts = endOf(attemptSort);
export const endOfSegments = endOf(segmentPrefix);

export const headKey = (account_id: string, id: string) => itemKey(messagePartition(account_id, id), headSort);

/** @param time as `toNanoseconds` returns it */
export const attemptKey = (account_id: string, id: string, time: string, event_id: string) =>
  itemKey(messagePartition(account_id, id), `${attemptSort}${time}#${sha256(event_id)}`);

/** Pages have different partition keys: under a single one, it took 32 seconds to store an email of 40 MiB. */
export const segmentKey = (account_id: string, id: string, digest: string, index: number, page = 0) => {
  const partition = messagePartition(account_id, id);
  return itemKey(page === 0 ? partition : `${partition}#${digest}#${page}`, segmentSort(digest, index));
};

/** Sorts after the head and the first segment, so that a Query for these two doesn't return it. */
export const pageListKey = (account_id: string, id: string, digest: string) =>
  itemKey(messagePartition(account_id, id), `SEGMENT_PAGES#${digest}`);

/** The segments in a message's own partition, and the lists of its pages. */
export const segmentsOf = (account_id: string, id: string) => itemKey(messagePartition(account_id, id), "SEGMENT");

const recipientPrefix = "TO#";

/** Another recipient of an imported email. Sorts after the segments, so Get Message doesn't read it. */
export const recipientKey = (account_id: string, id: string, address: string) =>
  itemKey(messagePartition(account_id, id), `${recipientPrefix}${sha256(normalAddress(address))}`);

export const isRecipientSort = (sort: string): boolean => sort.startsWith(recipientPrefix);

/** A digest, because DynamoDB rejects an index key of more than 2,048 bytes, and so that no key shows an address. */
export const personKey = (address: string): string => itemTypes.person + sha256(normalAddress(address));

export const userKey = (email: string) => itemKey(itemTypes.user + normalAddress(email), "USER");

export const memberKey = (account_id: string, user_id: string) =>
  itemKey(itemTypes.account + account_id, `MEMBER#${user_id}`);

export const idempotencyRecordKey = (account_id: string, key: string) =>
  itemKey(`${itemTypes.idempotency}${account_id}#${sha256(key)}`, "IDEMPOTENCY");

/** Every event has its own partition key, so that a busy account can't overload a partition. */
export const eventKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.event}${account_id}#${sha256(id)}`, "EVENT");

export const markerKey = (account_id: string, id: string) =>
  itemKey(`${itemTypes.marker}${account_id}#${id}`, "MARKER");

/** There are few senders, so they share a partition. */
export const senderKey = (name: string) => itemKey(itemTypes.sender, `SENDER#${name}`);
