/** What must be true of every response. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { ErrorResponse } from "../../lib/http/error-catalogue.ts";
import { commonHeaders, requestIdHeader } from "../../lib/http/response.ts";
import type { Received } from "./request.ts";

/** The status and the headers that every response has. Returns the parsed body. */
export const expectStatus = ({ status, headers, body }: Received, expected: number) => {
  equal(status, expected, `the status is ${status}: ${body.subarray(0, 200)}`);
  for (const [name, value] of Object.entries(commonHeaders)) {
    equal(headers[name.toLowerCase()], value, `${name} is ${headers[name.toLowerCase()]}`);
  }
  match(String(headers[requestIdHeader.toLowerCase()] ?? ""), /\S{8}/, `${requestIdHeader} is missing`);
  return JSON.parse(body.toString());
};

/** An error of the catalogue, but for `WWW-Authenticate`, which API Gateway renames. */
export const expectError = (received: Received, { status, message }: ErrorResponse): void => {
  deepEqual(expectStatus(received, status), { message });
};

/** An error whose message names what is wrong. */
export const expectErrorAbout = (received: Received, status: number, thing: string): void => {
  const { message } = expectStatus(received, status);
  ok(String(message).includes(thing), `the message is ${message}`);
};
