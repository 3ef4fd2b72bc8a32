/** Commands on a machine whose clock is wrong: what they write has the table's time. */
import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { clockOf } from "../../../infra/admin/clock.ts";
import { uptimeMs } from "../../../lib/time/clock.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { bearer, call, startService, table } from "../../harness/service.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const wrongBy = (ms: number): void => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

/** The status of a request with the key, for a function whose clock is right: 404 if the key works. */
const statusOf = async (now: number, { api_key, account_id }: { api_key: string; account_id: string }) => {
  const url = await startService(() => now);
  return (await call(`${url}/v2/accounts/${account_id}/messages/${randomUUID()}`, { headers: bearer(api_key) })).status;
};

test.each([
  [2 * day, "2 days ahead"],
  [47 * hour, "47 hours ahead"],
  [-3 * hour, "3 hours behind"],
  [-119 * minute, "119 minutes behind"],
  [2 * minute, "2 minutes ahead"],
])(
  "With a clock that is wrong by %d ms, keys are created, replaced and revoked with the table's time",
  async (ms, text) => {
    const now = Date.now();
    wrongBy(ms);

    const created = await admin("create-api-key --scope * --expires-in 30m --json");
    const key = JSON.parse(created.stdout[0] ?? "");
    const before = await statusOf(now, key);
    const [rotated] = await adminJson(`rotate-api-key ${key.id} --grace 0`);
    const [revoked] = await adminJson(`revoke-api-key ${rotated.id}`);

    const stderr = [`The clock of this machine is ${text}. The command uses the table's time`];
    expect(created).toMatchObject({ status: 0, stderr });
    expect(Math.abs(Date.parse(key.expires_at) - (now + hour / 2))).toBeLessThan(hour / 4);
    expect(before).toBe(404);
    expect(await statusOf(now, key)).toBe(401);
    expect(revoked).toMatchObject({ id: rotated.id, revoked: true });
    expect(Math.abs(Date.parse(revoked.revoked_at) - now)).toBeLessThan(hour / 4);
  },
);

test("A clock that is right is used with its milliseconds, and one that is wrong by less than a minute is corrected in silence", async () => {
  const warn = vi.fn();
  const right = await clockOf({ warn }, table);
  const earliest = Date.now();
  const shown = right();
  expect([shown - earliest + 2, Date.now() - shown + 2].every((ms) => ms >= 0)).toBe(true); // Both are rounded.
  const begin = uptimeMs();
  wrongBy(30_000);

  const corrected = await clockOf({ warn }, table);

  // The table's time is a second's, and as old as the response at most.
  const elapsed = uptimeMs() - begin;
  expect(Math.abs(corrected() - (earliest + elapsed))).toBeLessThan(2000 + elapsed);
  expect(warn).not.toHaveBeenCalled();
});

test.each([
  [0, 1],
  [1, 2],
  [9, 5],
])("After %i slow responses, the table was asked %i times", async (slow, times) => {
  wrongBy(0);
  let asked = 0;
  const counted = interceptedTable(table, async (_, proceed) => {
    const response = await proceed();
    vi.setSystemTime(Date.now() + (asked++ < slow ? 1001 : 1000));
    return response;
  });

  await clockOf({ warn: vi.fn() }, counted);

  expect(asked).toBe(times);
});

test("If a table's responses have no date, the machine's clock is used", async () => {
  const dateless = interceptedTable(table, () => ({}));
  const before = Date.now();

  const shown = (await clockOf({ warn: vi.fn() }, dateless))();

  expect([shown - before + 2, Date.now() - shown + 2].every((ms) => ms >= 0)).toBe(true); // Both are rounded.
});
