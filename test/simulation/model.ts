/**
 * What the contract allows. The model knows nothing of tables and retries: only when a call began and ended, what it
 * said, and that a call without a response may have happened or not. Times are the true ones, except that expiries are
 * compared with `now`, the clock of the process that responds.
 */

import { longestIndexLag, longestLag } from "../world/engine.ts";
import type { Span } from "../world/time.ts";
import { roles } from "./cast.ts";
import { type Move, newTimeline } from "./timeline.ts";

export type MemberRequest = { account: string; key: string | null; email: string; role: string };
export type MemberResponse = { status: number; body: string; isReplay: boolean };
type Use = Span & { request: MemberRequest; now: number; response?: MemberResponse; adding: Move[] };

/** Eventually consistent reads are old by up to this. */
const lag = longestLag;
const indexLag = longestIndexLag + lag;
const daySeconds = 24 * 60 * 60;
/** After 28 days, an event counts again if it arrives again; for a fast clock, a second earlier. */
const eventLifeMs = 28 * daySeconds * 1000 - 2000;
const never = Number.POSITIVE_INFINITY;
const seconds = (ms: number): number => Math.floor(ms / 1000);

/** The service did what the contract forbids. */
export class Violation extends Error {}
export const demand = (isAllowed: boolean, text: string, seen: object): void => {
  if (!isAllowed) throw new Violation(`${text}: ${JSON.stringify(seen)}`);
};

export const newModel = () => {
  const timeline = newTimeline();
  const { begin, end, couldBe, isOver, mayHaveBegun, mayBeExpired, isExpired } = timeline;
  const uses: Use[] = [];
  const events = new Map<string, Span & { what: string; number: number }>();

  /** From now on, a member has this role and no other. */
  const beginRole = (member: string, role: string, from: number): Move[] =>
    roles.map((one) => begin(`${member} as ${one}`, one === role, from));
  /** From now on, nobody outside knows whether somebody is a member, and in which role. */
  const beginDoubt = (member: string, from: number): void => {
    for (const isOn of [true, false]) begin(member, isOn, from);
    for (const role of roles) beginRole(member, role, from);
  };
  const endAll = (moves: Move[], to: number, outcome: "done" | "maybe" | "nothing"): void => {
    for (const move of moves) end(move, to, outcome);
  };

  const sawKey = (key: string, status: number, span: Span, now: number): void => {
    const isBad = couldBe(key, false, span) || mayBeExpired(key, span.to, now);
    const isGood = couldBe(key, true, span) && !isExpired(key, span.from, now);
    demand(status === 401 ? isBad : isGood, "API key", { key, status, span, now });
  };

  const sawMessage = (
    name: string,
    { status, ...body }: { status: number; [field: string]: unknown },
    { from, to }: Span,
    now: number,
    hasContent: boolean,
  ): void => {
    const seen = { name, status, ...body, content: undefined, from, to, now };
    const isGone = isExpired(name, to, now);
    const mayBeDeleted = mayHaveBegun(`deletion of ${name}`, to);
    if (status === 404) {
      demand(isGone || !isOver(name, from) || mayBeDeleted, "lost", seen);
      return;
    }
    if (status !== 200) {
      demand(mayBeDeleted || mayHaveBegun(`change of ${name}`, to), "failed", seen);
      return;
    }
    const isDeleted = isOver(`deletion of ${name}`, from - lag);
    demand(mayHaveBegun(name, to) && !isGone && !isDeleted, "back from the dead", seen);
    if (body.content === null && hasContent) demand(mayHaveBegun(`removal of ${name}`, to), "lost content", seen);
    else if (hasContent) demand(!isOver(`removal of ${name}`, from - lag), "removed content", seen);
    const statuses = [...events.values()].filter(({ what }) => what === `status of ${name}`);
    const newest = Math.max(-1, ...statuses.filter((event) => event.to <= from - lag).map(({ number }) => number));
    const possible = statuses.filter(({ from, number }) => from <= to && number >= newest);
    const isFirst = newest < 0 && ["sent", "received"].includes(String(body.delivery));
    demand(isFirst || possible.some(({ number }) => body.delivery === `status ${number}`), "status", seen);
    for (const field of ["open_count", "click_count", "num_attempts"]) {
      const ours = [...events.values()].filter(({ what }) => what === `${field} of ${name}`);
      const least = ours.filter((event) => event.to <= from - lag).length;
      const again = ours.filter((event) => event.from <= to - eventLifeMs);
      const most = ours.filter((event) => event.from <= to).length + again.length;
      const count = Number(body[field]);
      demand(count >= least && count <= most, `${field} from ${least} to ${most}`, seen);
    }
  };

  /** An operator has looked for a person's messages, of which this may be one. The table's time counts, to a second. */
  const sawSearch = (name: string, isTheirs: boolean, isListed: boolean, { from, to }: Span): void => {
    const seen = { name, isTheirs, isListed, from, to };
    const isDeleted = isOver(`deletion of ${name}`, from - lag);
    const isPossible = isTheirs && mayHaveBegun(name, to) && !isDeleted && !isExpired(name, to, from - 2000);
    const mayBeMissing = mayHaveBegun(`deletion of ${name}`, to) || mayBeExpired(name, to, to + 2000);
    const isNew = !isOver(name, from - indexLag);
    demand(isListed ? isPossible : !isTheirs || isNew || mayBeMissing, "search", seen);
  };

  const sawMember = (use: Use): void => {
    const { request, response, now, from, to } = use;
    if (!response || response.status >= 500) {
      endAll(use.adding, to, "maybe");
      return;
    }
    const isFirst = (other?: MemberResponse) => other && other.status < 422 && !other.isReplay;
    endAll(use.adding, to, response.status === 201 && isFirst(response) ? "done" : "nothing");
    const thing = `${request.email} in ${request.account}`;
    const live = uses.filter(
      (other) =>
        other !== use &&
        request.key !== null &&
        other.request.key === request.key &&
        other.request.account === request.account &&
        other.from <= to &&
        seconds(now) < seconds(other.now) + daySeconds,
    );
    const isSame = (other: Use) => other.request.email === request.email && other.request.role === request.role;
    const mayHaveStored = ({ response: its }: Use) => !its || its.status >= 500 || isFirst(its) === true;
    if (response.status === 422) {
      demand(
        live.some((other) => !isSame(other) && mayHaveStored(other)),
        "422",
        use,
      );
      return;
    }
    if (response.isReplay) {
      const isOriginal = ({ response: its }: Use) => !isFirst(its) || its?.body === response.body;
      demand(
        live.some((other) => isSame(other) && mayHaveStored(other) && isOriginal(other)),
        "replay",
        use,
      );
      return;
    }
    demand(!live.some((other) => isFirst(other.response) && other.to <= from), "second first response", use);
    demand(couldBe(thing, response.status === 409, use), "member", use);
  };

  return {
    ...timeline,
    beginRole,
    beginDoubt,
    endAll,
    sawKey,
    sawMessage,
    sawSearch,
    sawMember,
    beginUse: (request: MemberRequest, from: number, now: number): Use => {
      const member = `${request.email} in ${request.account}`;
      const adding = [begin(member, true, from), ...beginRole(member, request.role, from)];
      const use = { request, from, to: never, now, adding };
      uses.push(use);
      return use;
    },
    /** @param number of two statuses, the one with the greater number has the later time */
    beginEvent: (id: string, what: string, number: number, from: number): void => {
      if (!events.has(id)) events.set(id, { what, number, from, to: never });
    },
    endEvent: (id: string, to: number): void => {
      const event = events.get(id);
      if (event) event.to = Math.min(event.to, to);
    },
    /** For what the table holds at the end: the seconds in which a stored response may expire. */
    expiriesOfUses: (): Set<number> => new Set(uses.map(({ now }) => seconds(now) + daySeconds)),
  };
};
export type Model = ReturnType<typeof newModel>;
