/**
 * Orders a batch so that no email that ends the process can keep the same events from being recorded twice.
 *
 *   first delivery   events without an email, A, B, C, D   C and D wait behind B, which ends the process
 *   second delivery  events without an email, D, C, B, A   SQS delivers all of them again; now B waits behind C and D
 */
import type { SQSRecord } from "aws-lambda";
import type { MessageEvent } from "./event.ts";

export const receivesOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount);

type Received = { sqsRecord: SQSRecord; event: MessageEvent };

const hasEmail = ({ event }: Received): boolean => "raw_email" in event && event.raw_email !== null;

/** Odd deliveries come first, in order, and then the even ones, backwards. One delivery later, that is the reverse. */
const compare = ({ sqsRecord: a }: Received, { sqsRecord: b }: Received): number => {
  const isEven = receivesOf(a) % 2 === 0;
  if (isEven !== (receivesOf(b) % 2 === 0)) return isEven ? 1 : -1;
  return a.messageId < b.messageId === isEven ? 1 : -1;
};

/** Returns the groups to record one after the other. Each email has a group, with all events of its message. */
export const groupsOf = (batch: readonly Received[]): MessageEvent[][] => {
  const messageOf = ({ event }: Received) => `${event.account_id} ${event.message.id}`;
  const emails = Map.groupBy(batch.filter(hasEmail).sort(compare), messageOf);
  const groups = Map.groupBy(batch, (received) => (emails.has(messageOf(received)) ? messageOf(received) : ""));
  return ["", ...emails.keys()].map((key) => (groups.get(key) ?? []).map(({ event }) => event));
};
