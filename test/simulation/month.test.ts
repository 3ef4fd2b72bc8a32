/** `npm test` runs a few seeds. `SEED=42 npm test -- test/simulation` runs one again, `SEEDS=500` as many from there on. */
import { expect, test } from "vitest";
import { itemTypes } from "../../lib/table/keys.ts";
import { dayMilliseconds } from "../../lib/time.ts";
import { captureOutput } from "../harness/captured-output.ts";
import { freshTable, itemsIn, restore } from "../harness/tables.ts";
import { injectFaults } from "./faults.ts";
import { createModel } from "./model.ts";
import { startMonth } from "./month.ts";
import { startScheduler } from "./scheduler.ts";

const first = Number(process.env.SEED ?? 1);
const seeds = Array.from({ length: Number(process.env.SEEDS ?? 3) }, (_, index) => first + index);
const hours = 8;

type Items = Awaited<ReturnType<typeof itemsIn>>;
const { message, event, idempotency, messageMarker } = itemTypes;

/** Items that nobody would ever delete, although they should expire. */
const withoutExpiry = (items: Items) =>
  items.filter(({ pk, expires_at, deleted_at }) => {
    const expires = [message, event, idempotency].some((type) => pk.startsWith(type));
    return typeof expires_at !== "number" && (expires || (pk.startsWith(messageMarker) && !deleted_at));
  });

test.each(seeds)("The month of seed %i is possible under the contract", async (seed) => {
  const output = captureOutput();
  const table = await freshTable();
  const scheduler = startScheduler(seed, Date.UTC(2026, 10, 1));
  const { created } = injectFaults(scheduler, scheduler.chance(0.2) ? 0 : 0.03);
  const model = createModel();
  const month = await startMonth(scheduler, table, model);
  created.set(table.name, new Date(scheduler.now()));

  let backup: Items = [];
  for (let hour = 0; hour < hours; hour++) {
    if (hour === hours / 2) backup = await itemsIn(table);
    await month.hour();
    scheduler.advance(Math.floor(scheduler.random() ** 3 * 3 * dayMilliseconds));
  }
  const dead = await month.drain();

  // Only the events of a message that expired before it was stored have nowhere to go.
  for (const id of dead) expect(model.messages.get(id)?.retainUntil).toBeLessThan(scheduler.now());
  for (const id of model.messages.keys()) {
    const now = scheduler.now();
    const { status, body } = await month.read(id);
    model.checkMessage(id, { start: now, end: now }, status, body);
    if (status === 200) model.checkCounters(id, body);
  }
  expect(withoutExpiry(await itemsIn(table))).toEqual([]);
  expect(output.text()).not.toContain("canary");
  for (const secret of month.secrets()) expect(output.text()).not.toContain(secret);

  // A restore brings everything back, and prepare-table takes away again what was taken since then.
  scheduler.advance(dayMilliseconds);
  const restored = await restore(backup);
  created.set(restored.name, new Date(scheduler.now()));
  const { status } = await month.command("prepare-table", "--from", table.name);
  if (status === 0) {
    for (const status of await month.statusesOfOldKeys(restored)) expect(status).toBe(401);
    for (const [id, { deleted }] of model.messages) {
      if (deleted !== undefined) expect((await month.read(id, restored)).status).not.toBe(200);
    }
  }
});
