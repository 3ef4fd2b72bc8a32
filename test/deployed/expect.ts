/** What every response has, and what an error says. */
import { equal, match, ok } from "node:assert/strict";
import type { ErrorResponse } from "../../lib/api/error-catalogue.ts";
import { commonHeaders, requestIdHeader } from "../../lib/api/response.ts";
import type { Answer } from "./request.ts";

const json = ({ body }: Answer) => JSON.parse(body.toString());

/** A response of this status, with the headers that all of them have. Returns its body. */
export const expectStatus = (answer: Answer, status: number) => {
  equal(answer.status, status, `the status is ${answer.status}: ${answer.body.subarray(0, 200)}`);
  for (const [name, value] of Object.entries(commonHeaders)) {
    equal(answer.headers[name.toLowerCase()], value, `${name} is ${answer.headers[name.toLowerCase()]}`);
  }
  match(String(answer.headers[requestIdHeader.toLowerCase()]), /\S{8}/, `${requestIdHeader} is missing`);
  return json(answer);
};

/** One of the errors of the catalogue; its `WWW-Authenticate` is looked at apart. */
export const expectError = (answer: Answer, { status, message }: ErrorResponse): void => {
  const body = expectStatus(answer, status);
  equal(body.message, message);
  equal(Object.keys(body).length, 1, `the body is ${answer.body}`);
};

/** An error whose sentence names what it is about. */
export const expectErrorAbout = (answer: Answer, status: number, about: string): void => {
  const { message } = expectStatus(answer, status);
  ok(String(message).includes(about), `the sentence is ${message}`);
};
