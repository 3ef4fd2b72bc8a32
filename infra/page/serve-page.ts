/** The page /messages shows a message as an email program would. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { parseEmail } from "../../lib/email/parse-email.ts";
import type { Table } from "../../lib/table/table.ts";
import { type Page, type Pages, pageResponse } from "../local/gateway.ts";
import { pageTemplate } from "./bundle.ts";
import { structureOf } from "./email-structure.ts";
import { listMessages } from "./message-list.ts";
import type { Shown } from "./served.ts";

/**
 * The Content-Security-Policy also applies to the frame that shows an email. A script in an email lacks the nonce, so
 * it doesn't run even if it escapes from the frame's sandbox.
 */
const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'nonce-${nonce}'; worker-src blob:; connect-src 'self'; ` +
  "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** JSON for a `<script>` element. We escape `<`, because `</script>` in a value would end the element. */
const embeddable = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

const json = (value: unknown) => pageResponse("application/json", JSON.stringify(value));

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

/** Sends a Get Message request to this same server, which forwards it if `npm start` has the option `--api`. */
const structureOfMessage: Page["respond"] = async ({ url = "", headers, socket }: IncomingMessage) => {
  const { searchParams } = new URL(url, "http://localhost");
  const [account, message] = [searchParams.get("account") ?? "", searchParams.get("message") ?? ""];
  const path = `/v2/accounts/${encodeURIComponent(account)}/messages/${encodeURIComponent(message)}`;
  const response = await fetch(`http://127.0.0.1:${socket.localPort}${path}?fields=content`, {
    // Compression would only cost time, because the response doesn't leave this machine.
    headers: { Authorization: headers.authorization ?? "", "Accept-Encoding": "identity" },
  });
  const body = await response.text();
  if (!response.ok) return { ...json(null), statusCode: response.status, body };
  const { content }: { content: string | null } = JSON.parse(body);
  return json(content === null ? null : structureOf(Buffer.from(content)));
};

const parseAttached: Page["respond"] = async (request) => {
  const raw = await buffer(request);
  return json({ content_parsed: parseEmail(raw), structure: structureOf(raw) });
};

export const messagesPages = (shown: Shown, table?: Table): Pages => {
  const list = async () => json(table ? await listMessages(table, Date.now()) : []);
  return new Map<string, Page>([
    ["/messages", page(shown)],
    ["/messages/list", { isPrivate: true, respond: list }],
    ["/messages/structure", { isPrivate: true, respond: structureOfMessage }],
    ["/messages/attached", { isPrivate: true, method: "POST", respond: parseAttached }],
  ]);
};
