/** The demonstration account: an API key and three messages that show the features of Get Message. */
import { readFile } from "node:fs/promises";
import { createApiKey, listApiKeys, rotateApiKey } from "../../lib/api-keys/store.ts";
import { dayMilliseconds } from "../../lib/duration.ts";
import type { ChangeEvent } from "../../lib/intake/event.ts";
import { recordChange } from "../../lib/intake/record-event.ts";
import { readEnvelope } from "../../lib/messages/envelope.ts";
import type { DeliveryAttempt, NewMessage } from "../../lib/messages/message.ts";
import { storeMessage } from "../../lib/messages/store-message.ts";
import type { Table } from "../../lib/table/table.ts";

const account_id = "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11";
const domain_id = "b1d5a1c7-58f3-4c0e-9a39-6f1f5d2c7e02";

const ids = {
  welcome: "11e0a8f4-6c1b-4d0e-9f57-3a1b0c9d7e01",
  invoice: "22f1b9a5-7d2c-4e1f-8a68-4b2c1d0e8f02",
  bounce: "33a2c0b6-8e3d-4f20-9b79-5c3d2e1f9a03",
};

export type Demo = { account_id: string; domain_id: string; api_key: string; messages: typeof ids };

type Sample = {
  file: string;
  /** Earlier than every event of the message. */
  created: Date;
  fields: Pick<NewMessage, "id" | "direction" | "status"> & Partial<NewMessage>;
  attempts: DeliveryAttempt[];
  opens?: number;
  clicks?: number;
};

const minute = 60_000;
const retention = 30 * dayMilliseconds;

const samples = (now: number): Sample[] => {
  const ago = (minutes: number): Date => new Date(now - minutes * minute);
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
      attempts: [
        {
          time: ago(42).toISOString(),
          log: "451 4.7.1 Greylisted, try again in five minutes",
          status: "deferred",
        },
        { time: ago(36).toISOString(), log: "250 2.0.0 Ok: queued as 4D1F2A", status: "delivered" },
      ],
      opens: 3,
      clicks: 1,
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
      attempts: [{ time: ago(30).toISOString(), log: "552 5.2.2 Mailbox full", status: "bounced" }],
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
        reference_message_id: 9007199254740993n, // 2^53 + 1, which a double rounds
      },
      attempts: [],
    },
  ];
};

/** Returns the events of a message. */
const eventsOf = ({ fields, attempts, opens = 0, clicks = 0 }: Sample): ChangeEvent[] => {
  const event = (name: string, index: number) => ({
    id: `demonstration ${fields.id}: ${name} ${index}`,
    account_id,
    message: { id: fields.id },
  });
  const counted = (type: "message.opened" | "message.clicked", count: number): ChangeEvent[] =>
    Array.from({ length: count }, (_, index) => ({ type, ...event(type, index) }));
  return [
    ...attempts.map((attempt, index) => ({
      type: "message.delivery_attempt" as const,
      ...event("attempt", index),
      ...attempt,
    })),
    ...counted("message.opened", opens),
    ...counted("message.clicked", clicks),
  ];
};

const store = async (table: Table, sample: Sample, now: number) => {
  const { file, created, fields } = sample;
  const raw = await readFile(new URL(`demo/${file}`, import.meta.url));
  const { subject, sender, recipient, message_id } = readEnvelope(raw);
  const message: NewMessage = {
    account_id,
    domain_id,
    subject,
    sender,
    recipient,
    message_id,
    retain_until: new Date(now + retention),
    ...fields,
  };
  const isNew = await storeMessage(table, message, raw, created.getTime());
  if (!isNew) return;
  for (const event of eventsOf(sample)) await recordChange(table, event, now);
};

const label = "demonstration";

/** Creates a key. If an earlier start has created one, replaces that key, because only its digest is stored. */
const newKey = async (table: Table, now: number): Promise<string> => {
  const keys = await listApiKeys(table, account_id, now);
  const earlier = keys.find((key) => key.label === label && !key.revoked_at);
  const replaced = earlier && (await rotateApiKey(table, earlier.id, 0, now));
  const created = replaced ?? (await createApiKey(table, { account_id, scopes: ["*"], label }, now));
  return created.secret;
};

/** Stores the demonstration account with a new key. Messages of an earlier start do not change. */
export const storeDemo = async (table: Table, now: number): Promise<Demo> => {
  await Promise.all(samples(now).map((sample) => store(table, sample, now)));
  return { account_id, domain_id, api_key: await newKey(table, now), messages: ids };
};
