/** Record Events: receives events from the queue, and records each of them once. */
import { openEmailBucket } from "../lib/intake/email-bucket.ts";
import { openEventQueue, type PostponeEvents } from "../lib/intake/event-queue.ts";
import { type ReadEmail, recordEvent } from "../lib/intake/record-event.ts";
import { takeSampleBatch } from "../lib/intake/sample-batch.ts";
import { takeEvents } from "../lib/intake/take-events.ts";
import type { Clock } from "../lib/table/expiry.ts";
import { eventKey } from "../lib/table/keys.ts";
import { openTable, type Table } from "../lib/table/table.ts";
import { warmUp as warmUpFunction } from "../lib/table/warm-up.ts";

export const createHandler = (
  table: Table = openTable(),
  readEmail: ReadEmail = openEmailBucket(),
  clock: Clock = Date.now,
  postpone: PostponeEvents = openEventQueue(),
) => takeEvents((event) => recordEvent(table, event, readEmail, clock()), postpone);

const table = openTable();
export const handler = createHandler(table);

/** Records a sample event in the init phase, without an email. */
export const warmUp = (on = table) =>
  warmUpFunction(on, {
    absent: eventKey("", ""),
    connections: 1,
    respond: () => ({}),
    request: (sampleTable) => {
      const sampleHandler = createHandler(
        sampleTable,
        async () => Buffer.of(),
        Date.now,
        async () => {},
      );
      return () => takeSampleBatch(sampleHandler);
    },
  });
