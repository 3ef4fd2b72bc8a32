/** The program that infra/README.md has for Postal's webhooks, with webhooks as Postal documents them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { applyEvents } from "../../lib/events/apply-events.ts";
import { takeEvents } from "../../lib/events/receive-batch.ts";
import { findSender } from "../../lib/events/senders.ts";
import { idOfExternal } from "../../lib/messages/external-id.ts";
import { bearer, call, noon, startService, table } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const readme = readFileSync(new URL("../../infra/README.md", import.meta.url), "utf8");
const [, program = ""] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
const file = join(temporaryFolder(), "postal.mjs");
writeFileSync(file, program);
const { eventsOf } = await import(file);

const account_id = "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11";
const seconds = noon / 1000;

const message = {
  id: 901,
  token: "TokenOfOne",
  direction: "outgoing",
  message_id: "one@app.shop.example",
  to: "grace@example.org",
  from: "orders@shop.example",
  subject: "Your order",
  timestamp: seconds + 0.25,
  spam_status: "NotChecked",
  tag: "order",
};
const bounced = { ...message, id: 9007199254740991, token: "TokenOfTwo", to: "nobody@example.org", tag: null };
const bounce = { ...message, id: 903, token: "TokenOfBounce", direction: "incoming", from: "", to: "x@psrp.example" };

const attempt = (event: string, status: string, output: string, after: number) => {
  const payload = { message, status, details: "Details", output, sent_with_ssl: true, timestamp: seconds + after };
  return { event, timestamp: seconds + after, payload, uuid: `uuid-${event}` };
};

const webhooks = [
  attempt("MessageDelayed", "SoftFail", "421 later", 10),
  attempt("MessageHeld", "Held", "", 15),
  attempt("MessageSent", "Sent", "250 OK", 20.5),
  { event: "MessageLoaded", uuid: "u-1", payload: { message, ip_address: "192.0.2.1" } },
  { event: "MessageLinkClicked", uuid: "u-2", payload: { message, url: "https://shop.example/", token: "link" } },
  { event: "MessageBounced", uuid: "u-3", payload: { original_message: bounced, bounce } },
  { event: "DomainDNSError", uuid: "u-4", payload: { domain: "shop.example" } },
];

test("Postal's webhooks become messages in every order, and each counts once", async () => {
  const events = webhooks.flatMap((webhook) => eventsOf(webhook)).map((event) => JSON.stringify(event));
  const handler = takeEvents(
    (batch) => applyEvents(table, batch, () => Promise.reject(new Error("no email")), noon),
    async () => {},
    (name) => findSender(table, name),
  );
  const bodies = [...events.toReversed(), ...events];
  expect(
    await deliver(
      handler,
      bodies.map((body, index) => ({ messageId: String(index), body })),
    ),
  ).toEqual([]);

  const url = await startService();
  const { secret } = await createApiKey(table, { account_id, scopes: ["*"] }, noon);
  const get = async (token: string) => {
    const path = `/v2/accounts/${account_id}/messages/${idOfExternal(account_id, token)}`;
    return (await call(`${url}${path}`, { headers: bearer(secret) })).json();
  };
  expect(await get("TokenOfOne")).toMatchObject({
    message_id: "<one@app.shop.example>",
    tags: ["order"],
    status: "delivered",
    sent_at: "2096-11-20T12:00:00.250Z",
    delivered_at: "2096-11-20T12:00:20.500Z",
    delivery_attempts: [
      { status: "deferred", log: "Details\n421 later" },
      { status: "held", log: "Details" },
      { status: "delivered", log: "Details\n250 OK" },
    ],
    open_count: 1,
    click_count: 1,
  });
  expect(await get("TokenOfTwo")).toMatchObject({ status: "bounced", tags: [] });
  expect(await get("TokenOfBounce")).toMatchObject({
    direction: "incoming",
    is_bounce_notification: true,
    reference_message_id: 9007199254740991,
    sender: "mailer-daemon@psrp.example",
    status: "received",
  });
});

test("README's example of an external id is right", () => {
  const [, account = "", external = "", id] = /in the account\s+`([^`]+)`, `([^`]+)` is `([^`]+)`/.exec(readme) ?? [];

  expect(idOfExternal(account, external)).toBe(id);
});
