/** Where the page's messages come from: a table, or an API that needs a customer's key. */
import type { IncomingMessage } from "node:http";
import type { MessageField } from "../../lib/messages/fields.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import type { HttpResponse } from "../local/lambda.ts";
import type { FoundPage } from "./served.ts";

export const noEmail = "This message has no raw email: its content was removed, or never stored.";

export type Search = { address: string; since?: string | undefined; after?: string | undefined };

export type Source = {
  /** Responds with the fields of a message as JSON, or with an error. */
  read: (message: MessageRef, fields: readonly MessageField[], request: IncomingMessage) => Promise<HttpResponse>;
  /** Responds with all that the page knows of a message but its content. */
  readHead: (message: MessageRef, request: IncomingMessage) => Promise<HttpResponse>;
  /** Returns the bytes of the email, or the error to respond with. */
  readEmail: (message: MessageRef, request: IncomingMessage) => Promise<Buffer | HttpResponse>;
  /** Finds the messages of a person. */
  search?: (search: Search) => Promise<FoundPage>;
  /** Finds the newest messages of a table that is small. */
  recent?: () => Promise<FoundPage>;
};
