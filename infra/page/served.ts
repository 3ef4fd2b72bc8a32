/** What the server sends to the page. The page's modules know nothing of Node.js, so these types stand alone. */
import type { Message } from "../../lib/messages/message.ts";

/** What the page knows about its server. */
export type Shown = {
  /** `local` is the table of this machine, `table` a deployed one, and `api` an API that needs a customer's key. */
  source: "local" | "table" | "api";
  /** The name of the stage or the table, and the region. */
  where: readonly string[];
  /** The API's base URL, for the requests that engineering repeats. */
  api: string;
  /** The demonstration account of this machine. */
  demo?: { account_id: string; api_key: string };
};

/** A message without its content. In a row, `delivery_attempts` has only the first and the last ones. */
export type DeskMessage = Omit<Message, "reference_message_id" | "content" | "content_parsed"> & {
  /** The digits of a 64-bit integer would be rounded as a number. */
  reference_message_id?: string;
  /** When the current status came, if an event brought it. */
  status_time: string | null;
};

/** Some messages of a person, the newest first, by the time when they were stored. */
export type FoundPage = {
  messages: DeskMessage[];
  /** Where the next page begins, if there are more. */
  next?: string;
  /** How many messages were read. Those without a match in the time range aren't in `messages`. */
  read: number;
};

/**
 * The leaves of the MIME tree in document order. In the parsed email, `parts` and `attachments` have the same order.
 */
export type Structure = { isInline: boolean; isReplaced: boolean }[];
