/** What the commands for messages share: operands, error messages and checks. */

import { listSegments } from "../../lib/messages/content/write-segments.ts";
import type { Head } from "../../lib/messages/head.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../cli/user-error.ts";
import { defineCommand, forEachOperand, guid, type Shell, uuid } from "./command.ts";

export const defineMessageCommand = (name: string, summary: string) =>
  defineCommand(name, summary)
    .argument("<id...>", "a message's id; - reads ids from standard input")
    .requiredOption("--account <uuid>", "the account", uuid);

/** @throws UserError if the text is no UUID */
export const messageId = (name: string): string => {
  if (guid.safeParse(name).success) return name.toLowerCase();
  throw new UserError(`${name}: a message's id is a UUID`, 2);
};

export const noSuchMessage = (id: string): UserError => new UserError(`${id}: the account has no such message`);

export const forEachMessage = (
  shell: Shell,
  operands: string[],
  account_id: string,
  act: (message: MessageRef) => Promise<void>,
): Promise<void> => forEachOperand(shell, operands, async (name) => act({ account_id, id: messageId(name) }));

/**
 * Tells whether an interrupted deletion has left segments of a message behind. A deletion deletes the first segment
 * last, so that is the only one that we look for. (Lists of pages stay.)
 *
 * @param except the content that the message still has
 */
export const hasSegments = async (table: Table, message: MessageRef, except?: Head): Promise<boolean> => {
  const listed = await listSegments(table, message, except);
  return listed.some(({ pages }) => !pages);
};
