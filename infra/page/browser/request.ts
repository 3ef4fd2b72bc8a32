/** Requests JSON from the server of the page. The page and its worker use it. */
import type { Message as MessageObject } from "../../../lib/messages/message.ts";

/** The Message object as the page keeps it: the digits of a 64-bit integer would be rounded as a number. */
export type Message = Omit<MessageObject, "reference_message_id" | "content" | "content_parsed"> & {
  reference_message_id?: string;
};

export type MessageRequest = { url: string; key: string };

const hints: Record<number, string> = {
  401: ". A key can be wrong, revoked or expired, or belong to another account.",
  404: ". It never existed, was deleted, or its retention time has passed.",
};

/** @throws Error with a sentence for the reader of this page */
export const requestJson = async <Body>(
  url: string,
  key: string,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Body> => {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } }).catch(() => null);
  if (!response) throw new Error("The server of this page can't be reached. Start it again with npm start.");
  const text = await response.text().catch(() => null);
  if (text === null) throw new Error("The response broke off. Open the message again.");
  let body: unknown;
  try {
    body = parse(text);
  } catch {
    throw new Error(`${response.status}: the response isn't JSON, so it didn't come from the API.`);
  }
  const { message } = (body ?? {}) as { message?: string };
  if (!response.ok) throw new Error(`${response.status}: ${message}${hints[response.status] ?? ""}`);
  return body as Body;
};

const fieldsWithoutContent =
  "created_at,updated_at,retain_until,direction,is_bounce_notification,delivery_attempts,message_id,id," +
  "subject,tags,sender,recipient,status,num_attempts,click_count,open_count,domain_id,account_id,sent_at," +
  "delivered_at,bounce_classification,reference_message_id";

/** JSON.parse rounds a 64-bit integer, so we keep its source text. */
const exact = (name: string, value: unknown, context?: { source?: string }): unknown =>
  name === "reference_message_id" ? (context?.source ?? value) : value;

/** Reads a message without its content. */
export const requestMessage = ({ url, key }: MessageRequest): Promise<Message> =>
  requestJson(`${url}?fields=${fieldsWithoutContent}`, key, (text) => JSON.parse(text, exact));

export const requestField = <Field>({ url, key }: MessageRequest, name: string): Promise<Record<string, Field>> =>
  requestJson(`${url}?fields=${name}`, key);
