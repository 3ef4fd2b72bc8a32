/** Records each event of the queue exactly once, even if SQS delivers it twice. */

import { applyEvents } from "../lib/events/apply-events.ts";
import type { ReadEmail } from "../lib/events/apply-stored.ts";
import { openEmailBucket } from "../lib/events/email-bucket.ts";
import { openEventQueue, type PostponeEvents } from "../lib/events/event-queue.ts";
import { takeEvents } from "../lib/events/receive-batch.ts";
import { findSender } from "../lib/events/senders.ts";
import type { Clock } from "../lib/table/expiry.ts";
import { getItem } from "../lib/table/get.ts";
import { eventKey } from "../lib/table/keys.ts";
import { until } from "../lib/table/retry.ts";
import { openTable, type Table } from "../lib/table/table.ts";

export const createHandler = (
  table: Table = openTable({ canWait: true }),
  readEmail: ReadEmail = openEmailBucket(),
  clock: Clock = Date.now,
  postpone: PostponeEvents = openEventQueue(),
) =>
  takeEvents(
    (events, deadline) => applyEvents(until(table, deadline), events, readEmail, clock()),
    postpone,
    (name) => findSender(table, name),
  );

const table = openTable({ canWait: true });
export const handler = createHandler(table);

/** Opens the connection to DynamoDB in Lambda's init phase, by reading an item that doesn't exist. */
export const warmUp = (on = table): Promise<unknown> =>
  getItem(on, eventKey("", ""), { abortSignal: AbortSignal.timeout(500) }).catch(() => {});
