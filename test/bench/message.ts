/** The fields of a message to measure with. */
import { randomUUID } from "node:crypto";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";

export const newMessage = (account_id: string) =>
  ({
    id: randomUUID(),
    account_id,
    domain_id: randomUUID(),
    direction: "outgoing",
    message_id: "<reports@example.com>",
    subject: "Your monthly reports",
    tags: ["reports", "monthly"],
    sender: "hello@example.com",
    recipient: "ada@example.org",
    status: "delivered",
    retain_until: new Date(Date.now() + 30 * dayMilliseconds),
  }) satisfies NewMessage;
