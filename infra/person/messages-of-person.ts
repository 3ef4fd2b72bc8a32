/** Finds the messages to and from an email address: for `find-messages`, and for the support desk. */
import { findMessage, type StoredMessage } from "../../lib/messages/read/find-message.ts";
import { headSort, isRecipientSort, messageOfKey } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";
import { type Indexed, queryIndex } from "./query-index.ts";

/** How many messages are read at the same time. */
const parallelReads = 25;

/** A message may be stored before it is sent; no mail server keeps it in its queue for longer. */
const longestQueueDays = 14;

export type Range = {
  /** Only messages of this account. */
  account?: string | undefined;
  /** ISO 8601 in UTC, compared with {@link timeOf}. */
  since?: string | undefined;
  until?: string | undefined;
};

/** A search since some time begins with what was stored a while before. */
export const storedSince = (since: string | undefined): string | undefined =>
  since && new Date(Date.parse(since) - longestQueueDays * dayMilliseconds).toISOString();

/** Tells whether a key of the index is that of a message, and not of a member. */
export const isOfMessage = ({ sk }: Indexed): boolean => sk === headSort || isRecipientSort(sk);

type Options = Range & {
  /** How many keys one call reads; at most so many more messages are read than the caller takes. */
  pageSize?: number | undefined;
  /** Reads the delivery attempts, too: for half a read unit more if a message has more than 4 KB. By default false. */
  withAttempts?: boolean;
  now: number;
};

/** When the message was sent or, if that isn't known, when it was stored. */
export const timeOf = ({ head }: Pick<StoredMessage, "head">): string => head.sent_at ?? head.created_at;

/** Returns `null` for a message that has expired or was deleted since the index was written. */
const read = (table: Table, key: Indexed, { now, withAttempts = false }: Options): Promise<StoredMessage | null> => {
  const { account_id, id } = messageOfKey(key);
  return findMessage(table, account_id, id, now, { consistent: false, withContent: false, withAttempts });
};

/**
 * Yields the candidates in the order in which they were stored, the newest first, one by one: `null` is one that was
 * read in vain, because it has expired or isn't in the range. Imported emails were stored when they were imported.
 */
export async function* messagesOfPerson(
  table: Table,
  address: string,
  options: Options,
): AsyncGenerator<StoredMessage | null> {
  const { account, since, until = "9999~", pageSize } = options;
  const isWanted = (message: StoredMessage) => timeOf(message) >= (since ?? "") && timeOf(message) <= until;
  const seen = new Set<string>();
  const isCandidate = (key: Indexed): boolean => {
    if (!isOfMessage(key)) return false;
    if (seen.has(key.pk) || (account !== undefined && messageOfKey(key).account_id !== account)) return false;
    seen.add(key.pk);
    return true;
  };
  for await (const page of queryIndex(table, address, { since: storedSince(since), pageSize })) {
    const keys = page.filter(isCandidate);
    for (let start = 0; start < keys.length; start += parallelReads) {
      const some = keys.slice(start, start + parallelReads);
      for (const message of await Promise.all(some.map((key) => read(table, key, options)))) {
        yield message && isWanted(message) ? message : null;
      }
    }
  }
}
