/** What Node.js refuses by itself, without a body, before there is a request: answered in the API's shape instead. */
import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { bodyTooLarge, noRoute } from "../../lib/api/error-catalogue.ts";
import { type GatewayError, gatewayError, newExtendedRequestId } from "./gateway-error.ts";

const noHttp = { status: 400, message: "The request must be valid HTTP/1.1" };

/** By the code of Node's error. */
const errors = new Map<string | undefined, GatewayError>([
  ["HPE_HEADER_OVERFLOW", { status: 400, message: "The request's headers must be at most 16 KiB in all" }],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", { status: 413, message: bodyTooLarge.message }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: 400, message: "The request took too long to arrive" }],
]);

/** For how long a caller who is still sending may read what was answered (RFC 9112, section 9.6). */
const lingerMilliseconds = 1000;

const end = (socket: Duplex, error: GatewayError): void => {
  if (socket.writable) {
    const { statusCode, headers, body } = gatewayError(error, newExtendedRequestId());
    const fields = { ...headers, Connection: "close", "Content-Length": Buffer.byteLength(body) };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join("")}\r\n${body}`);
  }
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
};

/** Makes the server answer what is no request. Where an answer has begun, nothing can follow it: it is cut off. */
export const respondToMalformedHttp = (server: Server): void => {
  const answersOf = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on("request", ({ socket }, response) => {
    const answers = answersOf.get(socket) ?? new Set();
    answersOf.set(socket, answers.add(response));
    response.once("close", () => answers.delete(response));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const hasBegun = [...(answersOf.get(socket) ?? [])].some(({ headersSent }) => headersSent);
    if (hasBegun || error.code === "ECONNRESET") socket.destroy();
    else end(socket, errors.get(error.code) ?? noHttp);
  });
  server.on("connect", (_request, socket) => {
    socket.on("error", () => {}); // a caller who leaves: Node no longer listens
    end(socket, noRoute);
  });
};
