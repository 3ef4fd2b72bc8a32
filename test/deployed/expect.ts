/** Assertions about every response of the API. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ErrorResponse } from "../../lib/api/error-catalogue.ts";
import { commonHeaders, requestIdHeader } from "../../lib/api/response.ts";
import type { Received } from "./request.ts";

/** Expects a status and the headers that every response has. Returns the parsed body. */
export const expectStatus = ({ status, headers, body }: Received, expected: number) => {
  equal(status, expected, `the status is ${status}: ${body.subarray(0, 200)}`);
  for (const [name, value] of Object.entries(commonHeaders)) {
    equal(headers[name.toLowerCase()], value, `${name} is ${headers[name.toLowerCase()]}`);
  }
  match(String(headers[requestIdHeader.toLowerCase()] ?? ""), /\S{8}/, `${requestIdHeader} is missing`);
  return JSON.parse(body.toString());
};

/** Expects an error of the catalogue. Ignores `WWW-Authenticate`, because API Gateway renames it. */
export const expectError = (received: Received, { status, message }: ErrorResponse): void => {
  deepEqual(expectStatus(received, status), { message });
};

/** Expects an error with a message that names a thing. */
export const expectErrorAbout = (received: Received, status: number, thing: string): void => {
  const { message } = expectStatus(received, status);
  ok(String(message).includes(thing), `the message is ${message}`);
};
