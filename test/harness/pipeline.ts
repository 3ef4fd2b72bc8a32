/** A message as a sending pipeline reports it: the JSON texts of its events. */
import { randomUUID } from "node:crypto";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import type { Clock } from "../../lib/table/expiry.ts";
import { bearer, call, newKey, newMessage, noon, startService } from "./service.ts";

export const pipelineMessage = async (given: Partial<NewMessage> = {}) => {
  const { account_id, secret } = await newKey();
  const fields = newMessage({ ...given, account_id });
  const { account_id: _, ...message } = fields;
  const event = (type: string, more: object = {}) =>
    JSON.stringify({ type, id: randomUUID(), account_id, message: { id: fields.id }, ...more });
  return {
    account_id,
    id: fields.id,
    fields,
    event,
    stored: (raw_email: string | null, more: object = {}) => event("message.stored", { message, raw_email, ...more }),
    /** Returns the response of Get Message. */
    get: async (clock: Clock = () => noon) => {
      const url = await startService(clock);
      const path = `/v2/accounts/${account_id}/messages/${fields.id}`;
      return call(`${url}${path}`, { headers: bearer(secret) });
    },
  };
};
