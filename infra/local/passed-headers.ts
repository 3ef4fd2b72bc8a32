/**
 * The headers that a proxy passes on: only those of a list. Others act between two programs (RFC 9110, section 7.6.1),
 * concern the local browser, or make Node.js throw, as `Trailer` does in a message that isn't chunked.
 */
import type { IncomingMessage } from "node:http";

/** Without these, the body of a GET would follow its head unframed, as a second request. */
const framing = ({ headers }: IncomingMessage): Record<string, string> => {
  if (headers["transfer-encoding"] !== undefined) return { "transfer-encoding": "chunked" };
  const length = headers["content-length"];
  return length === undefined ? {} : { "content-length": length };
};

export const passedHeaders = (message: IncomingMessage, isPassed: (name: string) => boolean) => {
  const entries = Object.entries(message.headersDistinct).filter(([name]) => isPassed(name));
  const passed: Record<string, string | string[]> = { ...framing(message) };
  for (const [name, values = []] of entries) passed[name] = values;
  return passed;
};
