import { randomBytes, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { messageBody } from "../../../lib/messages/body.ts";
import { findMessage } from "../../../lib/messages/find.ts";
import { deleteMessage } from "../../../lib/messages/remove.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import type { Table } from "../../../lib/table/table.ts";
import { itemsOf, newMessage, noon, table } from "../../harness/service.ts";

/** Two segments: what is random does not compress. */
const raw = Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), randomBytes(150_000)]);

type Actor = { act: (table: Table) => Promise<unknown>; calls: (() => Promise<unknown>)[]; isDone: boolean };

/**
 * Lets them act at once, and one of their calls of the table be made at a time: which, `choose` says, when each
 * waits for one. What they do between their calls takes its time, and would decide the order by itself.
 */
const interleave = async (acts: Actor["act"][], choose: () => number): Promise<void> => {
  const actors: Actor[] = acts.map((act) => ({ act, calls: [], isDone: false }));
  const ended = actors.map(async (actor) => {
    const send = (command: never) =>
      new Promise((resolve, reject) => {
        actor.calls.push(() => table.client.send(command).then(resolve, reject));
      });
    await actor
      .act({ name: table.name, client: { send: send as never } })
      .finally(() => Object.assign(actor, { isDone: true }));
  });
  for (let acting = actors; acting.length > 0; acting = actors.filter(({ isDone }) => !isDone)) {
    if (acting.every(({ calls }) => calls.length > 0)) {
      const { calls } = acting[choose() % acting.length] as Actor;
      const [call] = calls.splice(choose() % calls.length, 1);
      await call?.();
    }
    await setImmediate();
  }
  await Promise.all(ended);
};

test("Whoever stores and deletes one message at once, in whatever order: it is whole, or not there", async () => {
  const acts = fc.array(fc.constantFrom("store", "delete"), { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(5)), acts, async (choices, acts) => {
      const message = newMessage({ account_id: randomUUID() });
      const { account_id, id } = message;

      await interleave(
        acts.map(
          (act) => (table: Table) =>
            act === "store" ? storeMessage(table, message, raw, noon) : deleteMessage(table, message, noon),
        ),
        () => choices.next().value,
      );

      const found = await findMessage(table, account_id, id, noon);
      if (found) {
        const chunks: Buffer[] = await messageBody(found).toArray();
        expect(JSON.parse(Buffer.concat(chunks).toString()).content).toBe(raw.toString("latin1"));
      }
      if (!acts.includes("delete")) expect(found).not.toBeNull();
      expect(await storeMessage(table, message, raw, noon)).toBe(found === null);
      await deleteMessage(table, message, noon);
      expect(await itemsOf(message)).toHaveLength(1);
    }),
    { numRuns: Number(process.env.DELETE_RACES ?? 40) },
  );
});
