/** Turns a stored head and its attempts into fields of the Message object. */

import { toDeliveryAttempt } from "../attempt.ts";
import { fieldsOfHead } from "../fields.ts";
import type { Head } from "../head.ts";
import type { StoredMessage } from "./find-message.ts";

declare global {
  /** Node.js has `JSON.rawJSON` since version 22, but TypeScript does not declare it. */
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Returns the Message object without the content, and without the list of attempts if they weren't read. */
export const headFields = ({ head, attempts }: Pick<StoredMessage, "attempts"> & { head: Head }) => {
  const fields: { [Name in (typeof fieldsOfHead)[number]]?: unknown } = {
    ...head,
    object: "message",
    delivery_attempts: attempts?.map(toDeliveryAttempt),
    num_attempts: attempts?.length ?? head.num_attempts,
    // An int64 must keep all its digits in the JSON.
    reference_message_id: head.reference_message_id && JSON.rawJSON(String(head.reference_message_id)),
  };
  return Object.fromEntries(fieldsOfHead.map((name) => [name, fields[name]]));
};
