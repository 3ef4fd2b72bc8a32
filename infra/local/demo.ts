/** The demonstration account: an API key and three messages that show the features of Get Message. */
import { readFile } from "node:fs/promises";
import { createApiKey, keysLabelled, revokeApiKey } from "../../lib/api-keys/store.ts";
import { readEnvelope } from "../../lib/email/envelope.ts";
import { applyChange } from "../../lib/events/apply-events.ts";
import type { ChangeEvent } from "../../lib/events/event.ts";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import type { Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";

const account_id = "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11";
const domain_id = "b1d5a1c7-58f3-4c0e-9a39-6f1f5d2c7e02";

const ids = {
  welcome: "11e0a8f4-6c1b-4d0e-9f57-3a1b0c9d7e01",
  invoice: "22f1b9a5-7d2c-4e1f-8a68-4b2c1d0e8f02",
  bounce: "33a2c0b6-8e3d-4f20-9b79-5c3d2e1f9a03",
};

/** The reference page's first example uses this message's id. */
export const exampleIds = { message_id: ids.welcome };

export type Demo = { account_id: string; domain_id: string; api_key: string; messages: typeof ids };

type Change<Event = ChangeEvent> = Event extends ChangeEvent ? Omit<Event, "id" | "account_id" | "message"> : never;

type DemoMessage = {
  file: string;
  /** When the message was created; all of its events are later. */
  created: Date;
  fields: Pick<NewMessage, "id" | "direction" | "status"> & Partial<NewMessage>;
  events: Change[];
};

const samples = (now: number): DemoMessage[] => {
  const ago = (minutes: number): Date => new Date(now - minutes * 60_000);
  const attempt = (time: Date, status: string, log: string): Change => ({
    type: "message.delivery_attempt",
    time: time.toISOString(),
    log,
    status,
  });
  const opened = { type: "message.opened" } as const;
  return [
    {
      file: "welcome-html-with-logo.eml",
      created: ago(43),
      fields: {
        id: ids.welcome,
        direction: "outgoing",
        tags: ["onboarding", "welcome"],
        status: "delivered",
        sent_at: ago(42),
        delivered_at: ago(36),
      },
      events: [
        attempt(ago(42), "deferred", "451 4.7.1 Greylisted, try again in five minutes"),
        attempt(ago(36), "delivered", "250 2.0.0 Ok: queued as 4D1F2A"),
        ...[opened, opened, opened],
        { type: "message.clicked" },
      ],
    },
    {
      file: "invoice-pdf-attachment.eml",
      created: ago(31),
      fields: {
        id: ids.invoice,
        direction: "outgoing",
        tags: ["billing"],
        status: "bounced",
        sent_at: ago(30),
        bounce_classification: "mailbox-full",
      },
      events: [attempt(ago(30), "bounced", "552 5.2.2 Mailbox full")],
    },
    {
      file: "bounce-delivery-status.eml",
      created: ago(29),
      fields: {
        id: ids.bounce,
        direction: "incoming",
        is_bounce_notification: true,
        status: "received",
        bounce_classification: "mailbox-full",
        reference_message_id: 9007199254740993n, // 2^53 + 1, which a double would round
      },
      events: [],
    },
  ];
};

const store = async (table: Table, { file, created, fields, events }: DemoMessage, now: number) => {
  const raw = await readFile(new URL(`demo/${file}`, import.meta.url));
  const { subject, sender, recipient, message_id } = readEnvelope(raw);
  const retain_until = new Date(now + 30 * dayMilliseconds);
  const message = { account_id, domain_id, subject, sender, recipient, message_id, retain_until, ...fields };
  if ((await storeMessage(table, message, raw, created.getTime())) !== "stored") return;
  for (const [index, event] of events.entries()) {
    const id = `demonstration ${fields.id} ${index}`;
    await applyChange(table, { ...event, id, account_id, message: { id: fields.id } }, now);
  }
};

const label = "demonstration";

/**
 * The table stores only the digest of an API key, so we can't print the old key again; we create a new key, and
 * revoke the old one.
 */
const newKey = async (table: Table, now: number): Promise<string> => {
  const earlier = await keysLabelled(table, account_id, label, now);
  for (const { id } of earlier) await revokeApiKey(table, id, now);
  return (await createApiKey(table, { account_id, scopes: ["*"], label }, now)).secret;
};

/**
 * Stores the demonstration account, and creates an API key for it. Messages that an earlier `npm start` has stored stay
 * as they are.
 */
export const storeDemo = async (table: Table, now: number): Promise<Demo> => {
  await Promise.all(samples(now).map((sample) => store(table, sample, now)));
  return { account_id, domain_id, api_key: await newKey(table, now), messages: ids };
};
