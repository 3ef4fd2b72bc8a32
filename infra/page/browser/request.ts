/** Requests data from the server of the page. The page and its worker use it. */
import type { DeskMessage, FoundPage } from "../served.ts";

/** Names a message, with the key that the server asks for: the desk's token, or an API key. */
export type MessageRequest = { account: string; id: string; key: string };

/** An error that may be gone when the request is sent again. */
export class RequestError extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const hints: Record<number, string> = {
  404: ". It never existed, was deleted, or its retention time has passed.",
};

const sentence = (status: number, body: unknown): string => {
  const { message = "no reason given" } = (body ?? {}) as { message?: string };
  return `${status}: ${message}${hints[status] ?? ""}`;
};

/** @throws RequestError with a sentence for the reader of this page */
export const request = async (url: string, key: string, init: RequestInit = {}): Promise<Response> => {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  const response = await fetch(url, { ...init, headers }).catch(() => null);
  if (!response) {
    throw new RequestError("The server of this page can't be reached. Start it again with npm start.", 0);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  throw new RequestError(sentence(response.status, body), response.status);
};

/** @throws RequestError with a sentence for the reader of this page */
export const requestJson = async <Body>(
  url: string,
  key: string,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Body> => {
  const response = await request(url, key);
  const text = await response.text().catch(() => null);
  if (text === null) throw new RequestError("The response broke off.", 0);
  try {
    return parse(text) as Body;
  } catch {
    throw new RequestError(
      `${response.status}: the response isn't JSON, so it didn't come from this page's server.`,
      0,
    );
  }
};

export const addressOfData = (name: string, { account, id }: MessageRequest): string =>
  `${location.origin}/messages/${name}?${new URLSearchParams({ account, message: id })}`;

/** JSON.parse rounds a 64-bit integer, so we keep its source text. */
const exact = (name: string, value: unknown, context?: { source?: string }): unknown =>
  name === "reference_message_id" ? String(context?.source ?? value) : value;
const parseExact = (text: string): unknown => JSON.parse(text, exact);

/** Reads a message without its content. */
export const requestHead = (message: MessageRequest): Promise<DeskMessage> =>
  requestJson(addressOfData("head", message), message.key, parseExact);

export const requestFound = (path: string, key: string): Promise<FoundPage | null> =>
  requestJson(`${location.origin}/messages/${path}`, key, parseExact);
