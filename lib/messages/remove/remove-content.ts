/** Removes a message's content before the message expires. */
import type { Table } from "../../table/table.ts";
import { noContent } from "../content/compression.ts";
import type { MessageRef } from "../message-ref.ts";
import { findMessage } from "../read/find-message.ts";
import { replaceContent } from "../write/replace-content.ts";

/**
 * Returns false if there is no such message, or its content was just replaced. Importing the email later doesn't bring
 * its content back.
 */
export const removeContent = async (table: Table, { account_id, id }: MessageRef, now: number): Promise<boolean> => {
  const message = await findMessage(table, account_id, id, now, { withContent: false });
  if (!message) return false;
  const time = new Date(now).toISOString();
  return replaceContent(table, message.head, noContent, { updated_at: time, content_removed_at: time }, now);
};
