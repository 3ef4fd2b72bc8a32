/** `npm start -- --api URL` forwards every request below `/v2/` to a deployed API. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { commonHeaders, errorBody } from "../../lib/http/response.ts";
import type { Forward, Sendable } from "./gateway.ts";
import { passedHeaders } from "./passed-headers.ts";
import { targetOf } from "./proxy-event.ts";

const requestHeaders = new Set([
  ...["authorization", "accept", "accept-encoding", "user-agent"],
  ...["content-type", "content-encoding", "idempotency-key"],
]);

/** A page, a cookie or Clear-Site-Data of the API would act on this machine's origin. */
const responseHeaders = new Set([
  ...["content-encoding", "vary", "retry-after", "idempotent-replayed", "www-authenticate"],
  ...["x-amzn-remapped-www-authenticate", "x-request-id"],
]);

/** The error that API Gateway would send. */
const badGateway = (message: string) => ({
  statusCode: 502,
  headers: { ...commonHeaders },
  body: errorBody({ message }),
});

const isJson = ({ statusCode, headersDistinct }: IncomingMessage): boolean =>
  statusCode === 204 || String(headersDistinct["content-type"]).split(";")[0]?.trim() === "application/json";

const localResponse = (api: URL, response: IncomingMessage): Sendable => {
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode > 599 || !isJson(response)) {
    response.destroy();
    return badGateway(`${api.origin} responded with ${statusCode}, and not with JSON`);
  }
  const { "Content-Type": type, ...others } = commonHeaders;
  const headers = passedHeaders(response, (name) => responseHeaders.has(name));
  return {
    statusCode,
    headers: { ...headers, ...others, ...(statusCode !== 204 && { "Content-Type": type }) },
    body: response,
  };
};

/** Checks certificates even if NODE_TLS_REJECT_UNAUTHORIZED is 0, because the request carries an API key. */
export const forwardTo = (api: URL): Forward => {
  const send = api.protocol === "https:" ? requestHttps : requestHttp;
  const prefix = api.pathname.replace(/\/$/, "");
  return (request) =>
    new Promise((resolve) => {
      const { path, query } = targetOf(request);
      const outgoing = send(api, {
        method: request.method,
        path: prefix + path + (query && `?${query}`),
        headers: passedHeaders(request, (name) => requestHeaders.has(name)),
        rejectUnauthorized: true,
      });
      outgoing.once("error", ({ code, message }: NodeJS.ErrnoException) =>
        resolve(badGateway(`${api.origin} can't be reached: ${code ?? message}`)),
      );
      outgoing.once("response", (response) => resolve(localResponse(api, response)));
      request.socket.once("close", () => outgoing.destroy());
      request.pipe(outgoing);
    });
};
