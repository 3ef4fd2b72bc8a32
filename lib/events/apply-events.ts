/** Records each event exactly once, even if it arrives several times. A message's events may arrive in any order. */
import type { Table } from "../table/table.ts";
import { applyChanges } from "./apply-changes.ts";
import { applyContent, applyStored, type ReadEmail } from "./apply-stored.ts";
import type { ChangeEvent, ContentEvent, MessageEvent, StoredEvent } from "./event.ts";
import { failed, type Outcome, type Result } from "./outcome.ts";

const isStored = (event: MessageEvent): event is StoredEvent => event.type === "message.stored";
const isContent = (event: MessageEvent): event is ContentEvent => event.type === "message.content";
const isChange = (event: MessageEvent): event is ChangeEvent => !isStored(event) && !isContent(event);

/** Stores messages one at a time, because a large email needs much memory. A failed event doesn't stop the others. */
export const applyEvents = async (
  table: Table,
  events: readonly MessageEvent[],
  readEmail: ReadEmail,
  now: number,
): Promise<Map<MessageEvent, Result>> => {
  const results = new Map<MessageEvent, Result>();
  for (const event of events.filter(isStored)) {
    results.set(event, await applyStored(table, event, readEmail, now).catch(failed));
  }
  for (const event of events.filter(isContent)) {
    results.set(event, await applyContent(table, event, readEmail, now).catch(failed));
  }
  const groups = Map.groupBy(events.filter(isChange), ({ account_id, message }) => `${account_id} ${message.id}`);
  for (const group of groups.values()) {
    for (const [event, result] of await applyChanges(table, group, now)) results.set(event, result);
  }
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
