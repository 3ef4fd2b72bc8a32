/** The desk reads a table, with the credentials of the person who started it. It never writes. */
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { messageNotFound } from "../../lib/http/error-catalogue.ts";
import { wantedFor } from "../../lib/messages/fields.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import { messageBody } from "../../lib/messages/read/body.ts";
import { findMessage, type Wanted } from "../../lib/messages/read/find-message.ts";
import type { Table } from "../../lib/table/table.ts";
import { pageResponse } from "../local/gateway.ts";
import type { HttpResponse } from "../local/lambda.ts";
import { deskMessageOf } from "./desk-message.ts";
import { messagesOfPerson, recentMessages } from "./find-messages.ts";
import { rawEmail } from "./raw-email.ts";
import { errorResponse, json } from "./responses.ts";
import { noEmail, type Source } from "./source.ts";

const guid = z.guid();
const isRef = ({ account_id, id }: MessageRef): boolean =>
  guid.safeParse(account_id).success && guid.safeParse(id).success;

const notFound = (): HttpResponse => errorResponse(messageNotFound.status, messageNotFound.message);

const find = (table: Table, message: MessageRef, wanted: Wanted) =>
  isRef(message)
    ? findMessage(table, message.account_id.toLowerCase(), message.id.toLowerCase(), Date.now(), wanted)
    : null;

/** @param known messages of a table of this machine that the index doesn't have; a deployed table has no list */
export const tableSource = (table: Table, known?: readonly MessageRef[]): Source => ({
  read: async (message, fields) => {
    const found = await find(table, message, wantedFor(fields));
    return found ? pageResponse("application/json", messageBody(found, fields)) : notFound();
  },
  readHead: async (message) => {
    const found = await find(table, message, { withContent: false });
    return found ? json(deskMessageOf(found.head, found.attempts ?? [])) : notFound();
  },
  readEmail: async (message) => {
    const found = await find(table, message, {});
    if (!found) return notFound();
    const body = messageBody(found, ["content"]);
    const { content }: { content: string | null } = JSON.parse(typeof body === "string" ? body : await text(body));
    return content === null ? errorResponse(404, noEmail) : rawEmail(content, found.head.digest);
  },
  search: (search) => messagesOfPerson(table, search, Date.now()),
  ...(known && { recent: () => recentMessages(table, known, Date.now()) }),
});
