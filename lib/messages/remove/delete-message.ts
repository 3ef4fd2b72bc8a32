/** Deletes a message before it expires. If the deletion was interrupted, call it again. */
import { getItem } from "../../table/get.ts";
import { headKey } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { deleteListed, listBesideHead } from "../content/write-segments.ts";
import type { Head } from "../head.ts";
import { markDeleted, readMarker } from "../marker.ts";
import type { MessageRef } from "../message-ref.ts";
import { beginDeletion } from "../tombstone.ts";

/**
 * `deleted`: this call has deleted the message, and no other call claims that. `completed`: another call has, but was
 * interrupted or still runs, or a store was interrupted, and this call has deleted what was left. `gone`: nothing was left.
 */
export type Deletion = "deleted" | "completed" | "gone" | "unknown";

/**
 * Deletes a message, and leaves a marker, so that no event and no import can bring the message back. An unknown id gets
 * no marker unless `force` is set: a marker for a mistyped id would block that id for ever.
 *
 * @param options.force marks the id as deleted even if nothing in the table has it
 */
export const deleteMessage = async (
  table: Table,
  message: MessageRef,
  now: number,
  { force = false } = {},
): Promise<Deletion> => {
  const [head, marker] = await Promise.all([
    getItem<Head>(table, headKey(message.account_id, message.id), { consistent: true }),
    readMarker(table, message),
  ]);
  const before = head ? [] : await listBesideHead(table, message);
  if (!force && !head && !marker && before.length === 0) return "unknown";
  await markDeleted(table, message, now);
  const person = head?.person ?? before.find(({ person }) => person)?.person;
  const { replaced, end } = await beginDeletion(table, message, now, person);
  // Since the marker, no call can store the message again; one that has begun deletes the segments that it still writes.
  const deleted = await deleteListed(table, message, await listBesideHead(table, message));
  await end();
  if (replaced?.id !== undefined) return "deleted";
  return deleted > 0 ? "completed" : "gone";
};
