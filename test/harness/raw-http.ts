/** Sends raw bytes over a socket, for requests that no HTTP client can send. */
import { once } from "node:events";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

export type RawResponse = { status: number; headers: Map<string, string>; body: string };

const dechunk = (text: string): string | null => {
  let rest = text;
  let body = "";
  for (;;) {
    const [line, size = ""] = /^([\da-f]+)[^\r\n]*\r\n/i.exec(rest) ?? [];
    if (line === undefined) return null;
    const length = Number.parseInt(size, 16);
    if (rest.length < line.length + length + 2) return null;
    if (length === 0) return body;
    body += rest.slice(line.length, line.length + length);
    rest = rest.slice(line.length + length + 2);
  }
};

/**
 * Returns the first response in the received text, or `null` while the response is incomplete.
 *
 * @param text the received bytes as latin1
 * @param method the request's method, because a response to HEAD has no body
 * @param isAll whether the connection has closed, which ends a response to HTTP/1.0
 */
export const parseResponse = (text: string, method = "GET", isAll = false): RawResponse | null => {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const [name = "", ...value] = line.split(": ");
      return [name.toLowerCase(), value.join(": ")];
    }),
  );
  const rest = text.slice(end + 4);
  if (status === 100) return parseResponse(rest, method, isAll);
  if (method === "HEAD") return { status, headers, body: "" };
  const length = headers.get("content-length");
  if (length !== undefined) {
    return rest.length < Number(length) ? null : { status, headers, body: rest.slice(0, Number(length)) };
  }
  const whole = isAll ? rest : null;
  const body = headers.get("transfer-encoding") === "chunked" ? dechunk(rest) : whole;
  return body === null ? null : { status, headers, body };
};

/** Opens a connection and closes it when the test ends. */
export const openConnection = async (url: string) => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}); // The "close" event follows.
  await once(socket, "connect");
  return socket;
};

/**
 * Sends the bytes unchanged. Returns the first response, or `null` if the connection closes without a response.
 *
 * @param hangUpAfter milliseconds after which the client half-closes the connection, for incomplete requests
 */
export const exchange = async (
  url: string,
  bytes: Buffer | string,
  { hangUpAfter }: { hangUpAfter?: number } = {},
): Promise<RawResponse | null> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const method = /^[A-Z]+(?= )/.exec(Buffer.from(bytes).toString("latin1", 0, 16))?.[0] ?? "GET";
  let text = "";
  let hasHungUp = false;
  const hangUp = () => {
    hasHungUp = true;
    socket.end();
  };
  const timer = hangUpAfter === undefined ? undefined : setTimeout(hangUp, hangUpAfter);
  const response = await new Promise<RawResponse | null>((resolve) => {
    socket.on("error", () => {});
    // Node.js closes the connection of a client that has hung up, even halfway through a response to HTTP/1.0.
    socket.once("close", () => resolve(parseResponse(text, method, !hasHungUp)));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const parsed = parseResponse(text, method);
      if (parsed) resolve(parsed);
    });
    socket.write(bytes);
  });
  clearTimeout(timer);
  socket.destroy();
  return response;
};
