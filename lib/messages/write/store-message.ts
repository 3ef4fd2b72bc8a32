/** Stores a message and its raw email. */
import type { Table } from "../../table/table.ts";
import type { NewMessage } from "../new-message.ts";
import { commitMessage, type Stored } from "./commit-message.ts";
import { draftMessage } from "./draft-message.ts";

/**
 * @param raw an email of up to 40 MiB, or `null` if the email is not available
 * @throws RejectedError if the email is too large, a field is wrong, or another message or email has the id
 */
export const storeMessage = async (
  table: Table,
  message: NewMessage,
  raw: Uint8Array | null,
  now: number,
): Promise<Stored> => {
  const { outcome, failed } = await commitMessage(table, draftMessage(message, raw, now), now);
  if (failed) throw new Error("a condition failed that was not asked for");
  return outcome;
};
