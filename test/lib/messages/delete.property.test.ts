import { randomBytes, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { deleteMessage } from "../../../lib/messages/delete.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import type { Table } from "../../../lib/table/table.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { itemsOf, newMessage, noon, table } from "../../harness/service.ts";
import { readMessage } from "./stored-message.ts";

/** Random bytes do not compress, so this email has two segments. */
const raw = Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), randomBytes(150_000)]);

type Act = (table: Table) => Promise<unknown>;
type Actor = { calls: (() => Promise<unknown>)[]; isDone: boolean };

/**
 * Runs several functions at the same time. As soon as each of them waits for a call of the table, `choose` selects the
 * call that is sent next. Without this order, the speed of the functions would decide.
 */
const interleave = async (acts: Act[], choose: () => number): Promise<void> => {
  const actors: Actor[] = acts.map(() => ({ calls: [], isDone: false }));
  const ended = acts.map(async (act, index) => {
    const { calls = [] } = actors[index] ?? {};
    const delayed = interceptedTable(
      table,
      (_, proceed) => new Promise((resolve, reject) => calls.push(() => proceed().then(resolve, reject))),
    );
    await act(delayed).finally(() => Object.assign(actors[index] ?? {}, { isDone: true }));
  });
  for (let acting = actors; acting.length > 0; acting = actors.filter(({ isDone }) => !isDone)) {
    if (acting.every(({ calls }) => calls.length > 0)) {
      const { calls = [] } = acting[choose() % acting.length] ?? {};
      const [call] = calls.splice(choose() % calls.length, 1);
      await call?.();
    }
    await setImmediate();
  }
  await Promise.all(ended);
};

test("A message that is stored and deleted at the same time is whole or does not exist", async () => {
  const acts = fc.array(fc.constantFrom("store", "delete"), { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(5)), acts, async (choices, acts) => {
      const message = newMessage({ account_id: randomUUID() });
      const store: Act = (table) => storeMessage(table, message, raw, noon);
      const remove: Act = (table) => deleteMessage(table, message, noon);

      await interleave(
        acts.map((act) => (act === "store" ? store : remove)),
        () => choices.next().value,
      );

      const read = await readMessage(message);
      if (read) expect(read.content).toBe(raw.toString("latin1"));
      if (!acts.includes("delete")) expect(read).not.toBeNull();
      expect(await storeMessage(table, message, raw, noon)).toBe(read === null);
      await deleteMessage(table, message, noon);
      expect(await itemsOf(message)).toHaveLength(1);
    }),
    { numRuns: Number(process.env.PROPERTY_CASES ?? 10) },
  );
});
