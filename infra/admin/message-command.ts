/** What the commands on single messages share: their operands and how they name a message that isn't there. */
import type { MessageRef } from "../../lib/messages/events.ts";
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

export const noSuchMessage = (id: string): UserError =>
  new UserError(`${id}: the account has no such message`);

export const forEachMessage = (
  shell: Shell,
  operands: string[],
  account_id: string,
  act: (message: MessageRef) => Promise<void>,
): Promise<void> => forEachOperand(shell, operands, async (name) => act({ account_id, id: messageId(name) }));
