/** Even if Node.js rejects a request as malformed HTTP, the response is an error in the API's format. */
import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { bodyTooLarge, type ErrorResponse, noRoute } from "../../lib/http/error-catalogue.ts";
import { gatewayError, newExtendedRequestId } from "./gateway-error.ts";

const noHttp = { status: 400, message: "The request must be valid HTTP/1.1" };

/** The response for each error code of Node.js's HTTP server. */
const errors = new Map<string | undefined, ErrorResponse>([
  ["HPE_HEADER_OVERFLOW", { status: 400, message: "The request's headers must be at most 16 KiB in all" }],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", { status: 413, message: bodyTooLarge.message }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: 400, message: "The request took too long to arrive" }],
]);

/** Gives the caller time to read the response before we close the connection (RFC 9112, section 9.6). */
const lingerMilliseconds = 1000;

const end = (socket: Duplex, error: ErrorResponse): void => {
  if (socket.writable) {
    const { statusCode, headers, body } = gatewayError(error, newExtendedRequestId());
    const fields = { ...headers, Connection: "close", "Content-Length": Buffer.byteLength(body) };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join("")}\r\n${body}`);
  }
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
};

/** If a response has already begun, an error response would corrupt it, so we only close the connection. */
export const respondToMalformedHttp = (server: Server): void => {
  const unfinished = new Set<ServerResponse>();
  server.on("request", (_request, response) => {
    unfinished.add(response);
    response.once("close", () => unfinished.delete(response));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const hasBegun = [...unfinished].some(({ req, headersSent }) => req.socket === socket && headersSent);
    if (hasBegun || error.code === "ECONNRESET") socket.destroy();
    else end(socket, errors.get(error.code) ?? noHttp);
  });
  server.on("connect", (_request, socket) => {
    socket.on("error", () => {}); // After CONNECT, Node.js no longer handles errors of the socket.
    end(socket, noRoute);
  });
};
