/** `npm start -- --api URL` forwards every request below `/v2/` to a deployed API. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { commonHeaders } from "../../lib/http/response.ts";
import type { Forward } from "./gateway.ts";
import { targetOf } from "./proxy-event.ts";

/** We don't forward hop-by-hop headers (RFC 9110, section 7.6.1), or headers that concern only the local browser. */
const notForwarded = new Set(
  "connection host keep-alive proxy-connection te trailer transfer-encoding upgrade expect origin referer cookie".split(
    " ",
  ),
);

const endToEnd = ({ headersDistinct }: IncomingMessage): Record<string, string[]> => {
  const named = (headersDistinct.connection ?? []).flatMap((value) => value.toLowerCase().split(/[\s,]+/));
  const isForwarded = ([name]: [string, unknown]) => !notForwarded.has(name) && !named.includes(name);
  const entries = Object.entries(headersDistinct).map(([name, values = []]): [string, string[]] => [name, values]);
  return Object.fromEntries(entries.filter(isForwarded));
};

/** If the deployed API can't be reached, the caller gets the error that API Gateway would send. */
const unreachable = (api: URL, error: NodeJS.ErrnoException) => ({
  statusCode: 502,
  headers: { ...commonHeaders },
  body: JSON.stringify({ message: `${api.origin} can't be reached: ${error.code ?? error.message}` }),
});

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
        headers: endToEnd(request),
        rejectUnauthorized: true,
      });
      outgoing.once("error", (error) => resolve(unreachable(api, error)));
      outgoing.once("response", (response) => {
        const { statusCode = 502 } = response;
        resolve({ statusCode, headers: endToEnd(response), body: response });
      });
      request.socket.once("close", () => outgoing.destroy());
      request.pipe(outgoing);
    });
};
