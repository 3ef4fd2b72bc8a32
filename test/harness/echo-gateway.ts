/** The local gateway with functions that return their event, for tests that send raw bytes. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { expect } from "vitest";
import { gateway, type Page } from "../../infra/local/gateway.ts";
import type { LambdaHandler } from "../../infra/local/lambda.ts";
import { addAccountMember, getMessage } from "../../lib/http/operations.ts";
import { listen } from "./listen.ts";
import type { RawResponse } from "./raw-http.ts";

/** Returns the event as the response. */
export const echo = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => ({
  statusCode: 200,
  body: JSON.stringify(event),
});

/** Serves both operations with one handler until the test ends. */
export const serve = async (handler: LambdaHandler = echo, pages: [string, Page][] = [], atOnce?: number) => {
  const routes = [getMessage, addAccountMember].map((operation) => ({ operation, handler }));
  const server = gateway(routes, new Map(pages), atOnce);
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, port };
};

export const messagePath = "/v2/accounts/a/messages/m";
export const membersPath = "/v2/accounts/a/members";

export const get = (host: string, target: string, ...headers: string[]): string =>
  [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, "", ""].join("\r\n");

/** Returns the event that {@link echo} received. */
export const eventOf = (response: RawResponse | null): APIGatewayProxyEvent =>
  JSON.parse(Buffer.from(response?.body ?? "", "latin1").toString());

/** Asserts the rules for every error. Returns its status and message. */
export const asError = (response: RawResponse | null): { status: number | undefined; message: string } => {
  expect(Object.fromEntries(response?.headers ?? [])).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^[\w-]{15}=$/),
  });
  return { status: response?.status, ...JSON.parse(response?.body ?? "") };
};

export const noRoute = { status: 404, message: "No such route or method" };
