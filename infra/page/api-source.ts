/** With `npm start -- --api`, the page reads messages with a customer's API key. It can't search. */
import type { IncomingMessage } from "node:http";
import { fieldsOfHead, type MessageField } from "../../lib/messages/fields.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import { pageResponse } from "../local/gateway.ts";
import type { HttpResponse } from "../local/lambda.ts";
import { rawEmail } from "./raw-email.ts";
import { errorResponse, textOf } from "./responses.ts";
import { noEmail, type Source } from "./source.ts";

const wrongKey = "Invalid API key. A key can be wrong, revoked or expired, or belong to another account";

/** Sends the request to this same server, which forwards it to the API. */
const read = async (
  { account_id, id }: MessageRef,
  fields: readonly MessageField[],
  { headers, socket }: IncomingMessage,
): Promise<HttpResponse> => {
  const path = `/v2/accounts/${encodeURIComponent(account_id)}/messages/${encodeURIComponent(id)}`;
  const response = await fetch(`http://127.0.0.1:${socket.localPort}${path}?fields=${fields}`, {
    // Compression would only cost time, because the response doesn't leave this machine.
    headers: { Authorization: headers.authorization ?? "", "Accept-Encoding": "identity" },
  });
  if (response.status === 401) return errorResponse(401, wrongKey);
  return { ...pageResponse("application/json", await response.text()), statusCode: response.status };
};

export const apiSource: Source = {
  read,
  readHead: (message, request) => read(message, fieldsOfHead, request),
  readEmail: async (message, request) => {
    const response = await read(message, ["content"], request);
    if (response.statusCode !== 200) return response;
    const { content }: { content: string | null } = JSON.parse(await textOf(response));
    return content === null ? errorResponse(404, noEmail) : rawEmail(content);
  },
};
