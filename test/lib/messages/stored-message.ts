/** Reads stored messages, and interrupts writes. */
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Message } from "../../../lib/messages/message.ts";
import type { MessageRef } from "../../../lib/messages/message-ref.ts";
import { messageBody } from "../../../lib/messages/read/body.ts";
import { findMessage } from "../../../lib/messages/read/find-message.ts";
import type { Table } from "../../../lib/table/table.ts";
import { interceptedTable, powerCut } from "../../harness/intercepted-table.ts";
import { noon, table } from "../../harness/service.ts";

/** Returns the Message object, or `null`. */
export const readMessage = async (
  { account_id, id }: MessageRef,
  now = noon,
  on: Table = table,
): Promise<Message | null> => {
  const message = await findMessage(on, account_id, id, now);
  return message && JSON.parse(await text(Readable.from(messageBody(message))));
};

/** Returns the table, on which every call fails after some calls of one command. */
export const failingAfter = (command: "PutCommand" | "DeleteCommand", calls: number, on: Table = table): Table =>
  interceptedTable(on, powerCut(new RegExp(command), calls).intercept);
