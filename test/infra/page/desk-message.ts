/** Messages for the tests of the desk. */
import type { DeskMessage } from "../../../infra/page/served.ts";

export const now = Date.parse("2026-11-25T12:00:00.000Z");

/** @param minutes before noon on 25 November 2026 */
export const ago = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();

export const attempt = (minutes: number, status: string, log: string) => ({ time: ago(minutes), status, log });

export const deskMessage = (fields: Partial<DeskMessage> = {}): DeskMessage => {
  const delivery_attempts = fields.delivery_attempts ?? [];
  return {
    object: "message",
    created_at: ago(100),
    updated_at: ago(10),
    retain_until: ago(-60 * 24 * 30),
    direction: "outgoing",
    is_bounce_notification: false,
    message_id: "<1@shop.example>",
    id: "11e0a8f4-6c1b-4d0e-9f57-3a1b0c9d7e01",
    subject: "Your order",
    tags: [],
    sender: "orders@shop.example",
    recipient: "ada@example.com",
    status: "sent",
    num_attempts: delivery_attempts.length,
    click_count: 0,
    open_count: 0,
    domain_id: "b1d5a1c7-58f3-4c0e-9a39-6f1f5d2c7e02",
    account_id: "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11",
    sent_at: ago(99),
    delivered_at: null,
    status_time: null,
    ...fields,
    delivery_attempts,
  };
};
