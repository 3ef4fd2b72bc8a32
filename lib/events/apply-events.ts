/** Records each event exactly once, even if it arrives several times. A message's events may arrive in any order. */
import type { Table } from "../table/table.ts";
import { applyChanges, expectChanges } from "./apply-changes.ts";
import { applyContent, applyStored, expectStored, type ReadEmail } from "./apply-stored.ts";
import { applyTogether, type Expected } from "./apply-together.ts";
import type { ChangeEvent, ContentEvent, MessageEvent, StoredEvent } from "./event.ts";
import { failed, type Outcome, type Result } from "./outcome.ts";

const isStored = (event: MessageEvent): event is StoredEvent => event.type === "message.stored";
const isContent = (event: MessageEvent): event is ContentEvent => event.type === "message.content";
const isChange = (event: MessageEvent): event is ChangeEvent => !isStored(event) && !isContent(event);

const messageOf = ({ account_id, message }: MessageEvent): string => `${account_id} ${message.id}`;

/**
 * Stores messages with emails one at a time, because a large email needs much memory. A failed event doesn't stop the
 * others.
 */
export const applyEvents = async (
  table: Table,
  events: readonly MessageEvent[],
  readEmail: ReadEmail,
  now: number,
): Promise<Map<MessageEvent, Result>> => {
  const results = new Map<MessageEvent, Result>();
  const together = async (expected: Promise<Expected[]>[]) => {
    const found = (await Promise.all(expected.map((one) => one.catch(() => [])))).flat();
    for (const [event, result] of await applyTogether(table, found, now)) results.set(event, result);
  };
  const isLeft = (event: MessageEvent): boolean => !results.has(event);

  const stored = Map.groupBy(events.filter(isStored), messageOf);
  if (stored.size > 1)
    await together([...stored.values()].flatMap(([first]) => (first ? expectStored(table, first, now) : [])));
  const storeEach = async (group: readonly StoredEvent[]) => {
    for (const event of group.filter(isLeft)) {
      results.set(event, await applyStored(table, event, readEmail, now).catch(failed));
    }
  };
  await Promise.all([...stored.values()].map(storeEach));
  for (const event of events.filter(isContent)) {
    results.set(event, await applyContent(table, event, readEmail, now).catch(failed));
  }
  const groups = Map.groupBy(events.filter(isChange), messageOf);
  if (groups.size > 1) await together([...groups.values()].map((group) => expectChanges(table, group, now)));
  const changeEach = async (group: readonly ChangeEvent[]) => {
    for (const [event, result] of await applyChanges(table, group.filter(isLeft), now)) results.set(event, result);
  };
  await Promise.all([...groups.values()].map(changeEach));
  return results;
};

/**
 * @throws RejectedError if the event can never be recorded
 * @throws MessageNotStoredYetError if the event arrived before its message
 * @throws TooLittleTimeError if the table's deadline is near
 * @throws Error if the table fails. A retry is safe
 */
export const applyEvent = async (
  table: Table,
  event: MessageEvent,
  readEmail: ReadEmail,
  now: number,
): Promise<Outcome> => {
  const result = (await applyEvents(table, [event], readEmail, now)).get(event);
  if (!result || result.outcome === "failed") throw result?.error;
  return result.outcome;
};

/** Throws the same errors as {@link applyEvent}. */
export const applyChange = (table: Table, event: ChangeEvent, now: number): Promise<Outcome> =>
  applyEvent(table, event, () => Promise.reject(new Error("a change has no email")), now);
