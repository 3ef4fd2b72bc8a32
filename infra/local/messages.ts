/** The page /messages, which shows a message as a mail program does. The page calls Get Message like any client. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Demo } from "./demo.ts";
import { type Page, pageResponse } from "./gateway.ts";

/**
 * Returns the page's Content-Security-Policy, which also applies to the frame that shows an email. A script in an email
 * lacks the nonce, so it does not run, even if it escapes from the frame's sandbox.
 */
const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'nonce-${nonce}'; worker-src blob:; connect-src 'self'; ` +
  "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Returns JSON for use inside a `<script>` element. Escapes `<`, because `</script>` would end the element. */
const embeddable = (value: object): string => JSON.stringify(value).replaceAll("<", "\\u003c");

/** @param seeded the ids of the messages that `--seed` has stored */
export const messagesPage = ({ account_id, api_key, messages }: Demo, seeded: readonly string[]): Page => ({
  holdsKey: true,
  respond: async () => {
    const nonce = randomBytes(16).toString("base64");
    const listed = [...Object.values(messages), ...seeded.slice(0, 50)];
    const template = await readFile(new URL("messages.html", import.meta.url), "utf8");
    const html = template
      .replace("NONCE", nonce)
      .replace('"DEMONSTRATION"', () => embeddable({ account_id, api_key, messages: listed }));
    return pageResponse("text/html; charset=utf-8", html, {
      "Content-Security-Policy": policy(nonce),
      "X-DNS-Prefetch-Control": "off",
      "Referrer-Policy": "no-referrer",
    });
  },
});
