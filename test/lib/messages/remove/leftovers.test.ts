/**
 * What stores, replacements and deletions leave behind if they are interrupted, or run at the same time: no segment
 * without the head that needs it. Hundreds of interruptions and orders take seconds on the simulated table.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { applyEvent } from "../../../../lib/events/apply-events.ts";
import type { StoredEvent } from "../../../../lib/events/event.ts";
import type { NewMessage } from "../../../../lib/messages/new-message.ts";
import { deleteMessage } from "../../../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { isLive } from "../../../../lib/table/expiry.ts";
import { headSort, segmentSort } from "../../../../lib/table/keys.ts";
import type { Table } from "../../../../lib/table/table.ts";
import { newMessage, noon } from "../../../harness/service.ts";
import type { Stored } from "../../../world/engine.ts";
import { simulatedProcesses } from "../../../world/processes.ts";
import { randomFrom } from "../../../world/random.ts";
import { readMessage } from "../stored-message.ts";

/** Random text hardly compresses, so this email has two segments: one beside the head, and one page. */
const raw = Buffer.from(`Subject: Hello\r\n\r\n${randomBytes(105_000).toString("base64")}`);

const create = (): NewMessage => newMessage({ account_id: randomUUID(), subject: "Grüße" });

type Act = (table: Table, message: NewMessage) => Promise<unknown>;
const acts = {
  store: (table, message) => storeMessage(table, message, raw, noon),
  record: (table, { account_id, ...message }) => {
    const event = { type: "message.stored", id: "1", account_id, message, raw_email: "1.eml" };
    return applyEvent(table, event as StoredEvent, async () => raw, noon);
  },
  "remove the content of": (table, message) => removeContent(table, message, noon),
  delete: (table, message) => deleteMessage(table, message, noon, { force: true }),
} satisfies Record<string, Act>;
const { store, record, delete: remove, "remove the content of": removeContentOf } = acts;
const storeExpired: Act = (table, message) =>
  storeMessage(table, { ...message, retain_until: new Date(noon - 1000) }, raw, noon - 2000);

/** Expects that the table has the segments of its live head, and no others. */
const expectNoLeftovers = (items: Stored[]) => {
  const live = items.filter((item) => isLive(item as { expires_at?: number }, noon));
  const head = live.find(({ sk }) => sk === headSort);
  const segments = live.map(({ sk }) => sk).filter((sk) => sk.startsWith("SEGMENT#"));
  const needed = Array.from({ length: Number(head?.segments ?? 0) }, (_, index) =>
    segmentSort(String(head?.content_digest), index),
  );
  expect(segments.toSorted()).toEqual(needed);
};

test.each<[string, Act, Act[]]>([
  ["store a message", store, []],
  ["store a message in the place of an expired one", store, [storeExpired]],
  ["store a message in the place of a deleted one", store, [store, remove]],
  ["record a message", record, []],
  ["remove the content of a message", removeContentOf, [store]],
  ["delete a message", remove, [store]],
])(
  "Whoever is interrupted before any call to %s leaves no segment behind after trying again",
  async (_, act, before) => {
    const { table, items, onEmptyTable, cutBefore } = simulatedProcesses();
    for (let call = 0, wasCut = true; wasCut; call++) {
      await onEmptyTable(async () => {
        const message = create();
        for (const earlier of before) await earlier(table, message);
        wasCut = await cutBefore(call, () => act(table, message));

        await act(table, message);

        expectNoLeftovers(items());
      });
    }
  },
);

test("A deletion after a store that was interrupted before any call leaves no segment behind", async () => {
  const { table, items, onEmptyTable, cutBefore } = simulatedProcesses();
  for (let call = 0, wasCut = true; wasCut; call++) {
    await onEmptyTable(async () => {
      const message = create();
      wasCut = await cutBefore(call, () => store(table, message));

      await remove(table, message);

      expectNoLeftovers(items());
    });
  }
});

const names = Object.keys(acts) as (keyof typeof acts)[];

test("Stores, removals and deletions of one message at the same time leave it whole or nothing of it", async () => {
  const { table, items, onEmptyTable, together } = simulatedProcesses();
  for (let seed = 0; seed < 3 * Number(process.env.PROPERTY_CASES ?? 30); seed++) {
    const random = randomFrom(`order ${seed}`);
    const isStored = random.chance(0.5);
    const chosen = Array.from({ length: 2 + random.below(2) }, () => random.oneOf(names));
    await onEmptyTable(async () => {
      const message = create();
      if (isStored) await store(table, message);

      await together(
        String(seed),
        chosen.map((name) => () => acts[name](table, message)),
      );

      const read = await readMessage(message, noon, table);
      const order = JSON.stringify({ seed, isStored, chosen });
      const mustBeThere = !chosen.includes("delete") && (isStored || chosen.includes("store"));
      expect(read?.subject, order).toBe(read || mustBeThere ? message.subject : undefined);
      expect([raw.toString("latin1"), null, undefined].includes(read?.content), order).toBe(true);
      expectNoLeftovers(items());
    });
  }
});

test.each<[string, Act[], Act, Act, Act]>([
  ["stores a message", [], store, remove, store],
  ["stores a message, like the others", [storeExpired], store, store, store],
  ["records a message", [], record, remove, store],
  ["deletes a message", [store], remove, store, store],
  ["removes the content of a message", [store], removeContentOf, remove, store],
  ["removes the content of a message, like the others", [store], removeContentOf, removeContentOf, removeContentOf],
])("Whoever %s may be held anywhere until two others have acted", async (_, before, first, second, third) => {
  const { table, items, onEmptyTable, held } = simulatedProcesses();
  let isFirstHeld = true;
  let isThirdHeld = true;
  for (let [one, other] = [0, 0]; isFirstHeld; [one, other] = isThirdHeld ? [one, other + 1] : [one + 1, 0]) {
    await onEmptyTable(async () => {
      const message = create();
      for (const earlier of before) await earlier(table, message);

      [isFirstHeld, , isThirdHeld] = await Promise.all([
        held({ from: 0, hold: one }, () => first(table, message)),
        held({ from: 400 }, () => second(table, message)),
        held({ from: 800, hold: other }, () => third(table, message)),
      ]);

      expectNoLeftovers(items());
    });
  }
});
