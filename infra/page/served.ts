/** What the server sends to the page. The page's modules know nothing of Node.js, so these types stand alone. */
import type { Message } from "../../lib/messages/message.ts";

/** The page contains the API's address, and the API key of the demonstration account if there is one. */
export type Shown = {
  api: string;
  demo?: { account_id: string; api_key: string; messages: { welcome: string } };
};

export type Listed = Pick<
  Message,
  "account_id" | "id" | "subject" | "sender" | "recipient" | "message_id" | "status" | "created_at"
>;

/**
 * The leaves of the MIME tree in document order. In the parsed email, `parts` and `attachments` have the same order.
 */
export type Structure = { isInline: boolean; isReplaced: boolean }[];
