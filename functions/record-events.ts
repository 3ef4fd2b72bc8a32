/** Record Events: takes what a sending pipeline tells of its messages from the queue, and records each event once. */
import { openEmailBucket } from "../lib/intake/email-bucket.ts";
import { type ReadEmail, recordEvent } from "../lib/intake/record-event.ts";
import { takeEvents } from "../lib/intake/take-events.ts";
import type { Clock } from "../lib/table/expiry.ts";
import { openTable, type Table } from "../lib/table/table.ts";

export const createHandler = (
  table: Table = openTable(),
  readEmail: ReadEmail = openEmailBucket(),
  clock: Clock = Date.now,
) => takeEvents((event) => recordEvent(table, event, readEmail, clock()));

export const handler = createHandler();
