/** The pages and the data of the support desk. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { parseEmail } from "../../lib/email/parse-email.ts";
import { sha256 } from "../../lib/table/keys.ts";
import { describe } from "../cli/user-error.ts";
import { type Page, type Pages, pageResponse } from "../local/gateway.ts";
import type { HttpResponse } from "../local/lambda.ts";
import { pageTemplate } from "./bundle.ts";
import { structureOf } from "./email-structure.ts";
import { errorResponse, json } from "./responses.ts";
import type { Shown } from "./served.ts";
import type { Source } from "./source.ts";

/**
 * The Content-Security-Policy also applies to the frame that shows an email. A script in an email lacks the nonce, so
 * it doesn't run even if it escapes from the frame's sandbox.
 */
const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'nonce-${nonce}'; worker-src blob:; connect-src 'self'; ` +
  "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** JSON for a `<script>` element. We escape `<`, because `</script>` in a value would end the element. */
const embeddable = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

const page = (shown: Shown): Page => ({
  isPrivate: true,
  isDocument: true,
  respond: async () => {
    const nonce = randomBytes(16).toString("base64");
    const template = await pageTemplate();
    const html = template.replace("NONCE", nonce).replace('"SHOWN"', () => embeddable(shown));
    return pageResponse("text/html; charset=utf-8", html, {
      "Content-Security-Policy": policy(nonce),
      "X-DNS-Prefetch-Control": "off",
      "Referrer-Policy": "no-referrer",
    });
  },
});

const isSame = (given: string, token: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token)));

type Asked = { parameters: URLSearchParams; request: IncomingMessage };
type Respond = (asked: Asked) => Promise<HttpResponse>;

const wrongToken =
  "This isn't the token of the desk's present start. Open the address that npm start printed; this tab then goes on";

/** @param token what each request has to bring; the other users of this machine don't know it */
const guarded =
  (token: string | undefined, respond: Respond): Page["respond"] =>
  async (request) => {
    const [, given = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (token !== undefined && !isSame(given, token)) return errorResponse(401, wrongToken);
    const { searchParams } = new URL(request.url ?? "", "http://localhost");
    return respond({ parameters: searchParams, request }).catch((error) => errorResponse(503, describe(error)));
  };

const refOf = ({ parameters }: Asked) => ({
  account_id: parameters.get("account") ?? "",
  id: parameters.get("message") ?? "",
});

/** Calls `use` with the email, or returns the source's error. */
const withEmail =
  ({ readEmail }: Source, use: (raw: Buffer) => HttpResponse): Respond =>
  async (asked) => {
    const email = await readEmail(refOf(asked), asked.request);
    return Buffer.isBuffer(email) ? use(email) : email;
  };

const parseAttached: Respond = async ({ request }) => {
  const raw = await buffer(request);
  return json({ content_parsed: parseEmail(raw), structure: structureOf(raw) });
};

const searchIn =
  ({ search }: Source): Respond =>
  async ({ parameters }) => {
    if (!search) return errorResponse(404, "An API has no search");
    const [address = "", since, after] = ["address", "since", "after"].map((name) => parameters.get(name) ?? undefined);
    return json(await search({ address, since, after }));
  };

/** @param token protects the data of a deployed table */
export const deskPages = (shown: Shown, source: Source, token?: string): Pages => {
  const data = (respond: Respond, method?: "POST"): Page => ({
    isPrivate: true,
    ...(method && { method }),
    respond: guarded(token, respond),
  });
  const field = (name: "content" | "content_parsed"): Page =>
    data((asked) => source.read(refOf(asked), [name], asked.request));
  const eml = (raw: Buffer): HttpResponse => pageResponse("application/octet-stream", Readable.from([raw]));
  return new Map<string, Page>([
    ["/messages", page(shown)],
    ["/messages/about", data(async () => json(shown))],
    ["/messages/search", data(searchIn(source))],
    ["/messages/recent", data(async () => json((await source.recent?.()) ?? null))],
    ["/messages/head", data((asked) => source.readHead(refOf(asked), asked.request))],
    ["/messages/content", field("content")],
    ["/messages/parsed", field("content_parsed")],
    ["/messages/structure", data(withEmail(source, (raw) => json(structureOf(raw))))],
    ["/messages/raw", data(withEmail(source, eml))],
    ["/messages/attached", data(parseAttached, "POST")],
  ]);
};
