import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEvents } from "../../../lib/events/apply-events.ts";
import { type ChangeEvent, type MessageEvent, parseEvent } from "../../../lib/events/event.ts";
import type { Table } from "../../../lib/table/table.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

const raw = Buffer.from("Subject: Hello\r\n\r\nHello");

/** Few times, so that some events have the same time. */
const time = fc.nat(3).map((minute) => new Date(noon + minute * 60_000).toISOString());
const words = fc.constantFrom("sent", "deferred", "delivered", "bounced");

/** An event without its id and its message, which the plan adds. */
const happening = fc.oneof(
  fc.constant({ type: "message.opened" as const }),
  fc.constant({ type: "message.clicked" as const }),
  fc.record({ type: fc.constant("message.delivery_attempt" as const), time, status: words, log: words }),
  fc.record(
    {
      type: fc.constant("message.status" as const),
      time,
      status: words,
      sent_at: time,
      delivered_at: time,
      bounce_classification: words,
    },
    { requiredKeys: ["type", "time", "status"] },
  ),
);

/** Faults of calls: the call is not made, its response is lost, or it conflicts with a transaction. */
const faults = fc.array(fc.constantFrom("none", "none", "none", "cut before", "lost after", "conflict"), {
  maxLength: 30,
});

/** How often each event arrives. */
const repeats = fc.array(fc.constantFrom(1, 1, 2, 3), { minLength: 12, maxLength: 12 });

/** The events of two accounts with one message each, and the order in which they arrive. */
const plans = fc
  .tuple(fc.array(fc.tuple(fc.nat(1), happening), { maxLength: 10 }), repeats)
  .chain(([happenings, times]) => {
    const deliveries = times
      .slice(0, 2 + happenings.length)
      .flatMap((count, event) => Array.from({ length: count }, () => event));
    return fc.record({
      happenings: fc.constant(happenings),
      order: fc.shuffledSubarray(deliveries, { minLength: deliveries.length }),
      together: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 })),
      faults,
    });
  });

/** The table with faults. The scheduler decides in which order the calls run. */
const unreliable = (scheduler: fc.Scheduler, faults: string[]): Table =>
  interceptedTable(table, async ({ constructor: { name } }, proceed) => {
    await scheduler.schedule(Promise.resolve());
    const fault = faults.shift();
    if (fault === "cut before") throw new Error("cut");
    if (fault === "conflict" && name === "TransactWriteCommand") {
      throw Object.assign(new Error("conflict"), {
        name: "TransactionCanceledException",
        CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
      });
    }
    const output = await proceed();
    if (fault === "lost after") throw new Error("lost");
    return output;
  });

/** All faults and early events of a plan need fewer deliveries. */
const mostDeliveries = 2000;

/** Delivers the events like a queue, in parallel batches. An event that fails is delivered again. */
const deliverAll = async (
  scheduler: fc.Scheduler,
  queue: MessageEvent[],
  [batches, batchSize]: [number, number],
  record: (events: MessageEvent[]) => ReturnType<typeof applyEvents>,
) => {
  for (let delivered = 0; queue.length > 0; delivered += batches) {
    if (delivered > mostDeliveries) throw new Error("An event is never recorded");
    const deliver = async () => {
      const results = await record(queue.splice(0, batchSize).map((event) => structuredClone(event)));
      for (const [event, { outcome }] of results) if (outcome === "failed") queue.push(event);
    };
    await scheduler.waitFor(Promise.all(Array.from({ length: batches }, deliver)));
  }
};

const isA =
  <Type extends ChangeEvent["type"]>(type: Type) =>
  (event: ChangeEvent): event is Extract<ChangeEvent, { type: Type }> =>
    event.type === type;

const byTime = (a: { time: string; id?: string }, b: { time: string; id?: string }) =>
  `${a.time} ${a.id}` < `${b.time} ${b.id}` ? -1 : 1;

/** The fields that Get Message must return after these events. */
const expected = (events: ChangeEvent[]) => {
  const statuses = events.filter(isA("message.status")).toSorted(byTime);
  const last = (field: "status" | "sent_at" | "delivered_at" | "bounce_classification") =>
    statuses.findLast((event) => event[field] !== undefined)?.[field];
  const attempts = events.filter(isA("message.delivery_attempt"));
  return {
    open_count: events.filter(isA("message.opened")).length,
    click_count: events.filter(isA("message.clicked")).length,
    num_attempts: attempts.length,
    attempts: attempts.map(({ time, log, status }) => `${time} ${log} ${status}`).toSorted(),
    status: last("status") ?? "accepted",
    sent_at: last("sent_at") ?? null,
    delivered_at: last("delivered_at") ?? null,
    bounce_classification: last("bounce_classification"),
    content: raw.toString(),
  };
};

type Shown = ReturnType<typeof expected> & {
  delivery_attempts: { time: string; log: string; status: string }[];
};

const shown = ({ delivery_attempts, ...message }: Shown) => ({
  open_count: message.open_count,
  click_count: message.click_count,
  num_attempts: message.num_attempts,
  attempts: delivery_attempts.map(({ time, log, status }) => `${time} ${log} ${status}`).toSorted(),
  status: message.status,
  sent_at: message.sent_at,
  delivered_at: message.delivered_at,
  bounce_classification: message.bounce_classification,
  content: message.content,
});

test("Each event is recorded once, in any order, however often it arrives and whatever calls fail", async () => {
  const url = await startService();

  const property = fc.asyncProperty(
    fc.scheduler(),
    plans,
    async (scheduler, { happenings, order, together, faults }) => {
      const accounts = await Promise.all([newKey(), newKey()]);
      const messages = accounts.map(({ account_id }) => newMessage({ account_id, status: "accepted" }));
      const changesOf = (account: number) =>
        happenings.flatMap(([of, what], index): ChangeEvent[] => {
          const { account_id, id } = messages[of] ?? newMessage({ account_id: randomUUID() });
          // Both accounts use the same ids, because an id is unique within its account only.
          const nth = happenings.slice(0, index).filter(([other]) => other === of).length;
          return of === account ? [{ ...what, id: `event-${nth}`, account_id, message: { id } }] : [];
        });
      const stored = messages.map(({ account_id, ...message }) =>
        parseEvent(
          JSON.stringify({
            type: "message.stored",
            id: "stored",
            account_id,
            message,
            raw_email: "hello.eml",
          }),
        ),
      );
      const events = [...stored, ...changesOf(0), ...changesOf(1)];

      const on = unreliable(scheduler, [...faults]);
      await deliverAll(
        scheduler,
        order.flatMap((index) => events[index] ?? []),
        together,
        (batch) => applyEvents(on, batch, () => Promise.resolve(raw), noon),
      );

      for (const [index, { account_id, secret }] of accounts.entries()) {
        const response = await call(`${url}/v2/accounts/${account_id}/messages/${messages[index]?.id}`, {
          headers: bearer(secret),
        });
        expect(shown((await response.json()) as Shown)).toEqual(expected(changesOf(index)));
      }
    },
  );
  await fc.assert(property);
});
