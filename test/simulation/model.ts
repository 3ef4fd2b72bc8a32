/**
 * What the contract allows, and nothing about how it is done. The month tells the model when a call starts and what its
 * caller saw; a call whose answer was lost may or may not have happened. Each check throws with the rule that was broken.
 */
import { dayMilliseconds } from "../../lib/time.ts";

type Response = { status: number; body: string; isReplay: boolean };
type Span = { start: number; end: number };
type Sent = { start: number; end?: number; request: string; response?: Response };
type Message = {
  retainUntil: number;
  recipient: string;
  /** Whether `retainUntil` was given, and not counted from the time at which a command ran. */
  isExact: boolean;
  /** When the call that stored it returned. */
  storedAt?: number;
  /** The ids of the events that were sent, by the counter that they add to. */
  sent: Map<string, Set<string>>;
  deletionStarted?: number;
  deleted?: number;
};

const rule = (holds: boolean, text: string): void => {
  if (!holds) throw new Error(`The contract is broken: ${text}`);
};

export const createModel = () => {
  const replays = new Map<string, Sent[]>();
  const joined = new Map<string, Set<string>>();
  const removals = new Map<string, number>();
  const userIds = new Map<string, Set<string>>();
  const erasures = new Map<string, number>();
  const revoked = new Map<string, Span>();
  /** When a replaced key ends. */
  const graces = new Map<string, number>();
  const messages = new Map<string, Message>();

  const addTo = (map: Map<string, Set<string>>, key: string, value: string) => {
    const found = map.get(key) ?? new Set();
    map.set(key, found.add(value));
    return found;
  };
  const message = (id: string): Message => {
    const found = messages.get(id);
    if (!found) throw new Error(`The month never mentioned message ${id}`);
    return found;
  };

  return {
    messages,
    revoked,
    graces,
    /** Only these may come, whatever the fault. Every 503 may be tried again. */
    checkStatus: (status: number, allowed: readonly number[]) =>
      rule([...allowed, 401, 503].includes(status), `a response has the status ${status}`),

    checkKey: (secret: string, { start, end }: Span, status: number) => {
      const revocation = revoked.get(secret);
      const grace = graces.get(secret) ?? Number.POSITIVE_INFINITY;
      const isOver = (revocation !== undefined && revocation.end < start) || grace + 2000 <= start;
      const mayBeOver = (revocation !== undefined && revocation.start <= end) || grace - 2000 <= end;
      if (status === 401) rule(mayBeOver, "a key that works gets a 401");
      else rule(!isOver || status === 503, "a revoked key still works");
    },

    requestStarted: (key: string, request: string, start: number): Sent => {
      const sent = { start, request };
      replays.set(key, [...(replays.get(key) ?? []), sent]);
      return sent;
    },
    /** One first response for each Idempotency-Key in 24 hours. Everybody else gets the same bytes, or a 422. */
    checkReplay: (key: string, sent: Sent, end: number, response: Response) => {
      Object.assign(sent, { end, response });
      const { start, request } = sent;
      const all = replays.get(key) ?? [];
      /** A key that was first used a day ago may have expired between the two requests, so that both are first ones. */
      const mayExpireBetween = (other: Sent) => {
        const [from, to] = [Math.min(other.start, start) - 60_000, Math.max(other.end ?? end, end) + 60_000];
        return all.some(
          (first) => first.start + dayMilliseconds >= from && first.start + dayMilliseconds <= to,
        );
      };
      const others = all.filter((other) => other !== sent && !mayExpireBetween(other));
      if (response.status === 422) {
        rule(
          all.some((other) => other.request !== request),
          "a 422 although every request was the same",
        );
      }
      if (![201, 409].includes(response.status)) return;
      for (const other of others) {
        if (!other.response || ![201, 409].includes(other.response.status)) continue;
        rule(other.request === request, "two requests under one key were both done");
        rule(other.response.body === response.body, "two responses under one key differ");
        rule(other.response.isReplay || response.isReplay, "two requests under one key were first");
      }
    },

    removalStarted: (member: string) => removals.set(member, (removals.get(member) ?? 0) + 1),
    erasureStarted: (email: string) => erasures.set(email, (erasures.get(email) ?? 0) + 1),
    checkMember: (account: string, email: string, { id, user_id }: { id: string; user_id: string }) => {
      const ids = addTo(joined, `${account} ${email}`, id);
      const erased = erasures.get(email) ?? 0;
      const removed = (removals.get(`${account} ${email}`) ?? 0) + erased;
      rule(ids.size <= 1 + removed, "a user became a member twice");
      rule(addTo(userIds, email, user_id).size <= 1 + erased, "one person has two user ids");
    },

    sends: (id: string, counter: string, event: string) => addTo(message(id).sent, counter, event),
    checkMessage: (id: string, span: Span, status: number, body: Record<string, unknown>) => {
      const { retainUntil, storedAt, sent, deleted, deletionStarted } = message(id);
      const isGone = (deleted !== undefined && deleted < span.start) || retainUntil + 2000 <= span.start;
      if (status === 200) {
        rule(!isGone, "a deleted or expired message is readable");
        for (const [counter, events] of sent)
          rule(Number(body[counter]) <= events.size, `${counter} counts an event twice`);
        rule(String(body.content).startsWith("Subject: "), "a message has lost its content");
      }
      const mayBeGone = deletionStarted !== undefined || retainUntil - 2000 <= span.end;
      if (status === 404)
        rule(storedAt === undefined || storedAt >= span.start || mayBeGone, "a stored message is not found");
    },
    /** When the queue is empty, each event of a living message has counted once. */
    checkCounters: (id: string, body: Record<string, unknown>) => {
      for (const [counter, events] of message(id).sent) {
        rule(
          Number(body[counter]) === events.size,
          `${counter} is ${body[counter]} after ${events.size} events`,
        );
      }
    },
  };
};
export type Model = ReturnType<typeof createModel>;
