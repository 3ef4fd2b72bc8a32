/** When things are switched on and off, or end, as far as anybody outside can tell. */
import type { Span } from "../world/time.ts";

/** Something is switched on or off at a moment of the span: surely, or maybe. */
export type Move = Span & { on: boolean; isSure: boolean };

const never = Number.POSITIVE_INFINITY;

export const newTimeline = () => {
  const moves = new Map<string, Move[]>();
  const expiries = new Map<string, (Span & { at: number })[]>();

  const movesOf = (thing: string, on: boolean): Move[] => (moves.get(thing) ?? []).filter((move) => move.on === on);

  const begin = (thing: string, on: boolean, from: number): Move => {
    const move = { from, to: never, on, isSure: false };
    moves.set(thing, [...(moves.get(thing) ?? []), move]);
    return move;
  };
  const end = (move: Move, to: number, outcome: "done" | "maybe" | "nothing"): void => {
    move.to = to;
    move.isSure = outcome === "done";
    if (outcome === "nothing") move.from = never;
  };
  const beginning: Move = { from: -1, to: -1, on: false, isSure: true };

  /** Whether the thing may have been in this state at a moment of the span. Everything begins switched off. */
  const couldBe = (thing: string, on: boolean, { from, to }: Span): boolean =>
    [...movesOf(thing, on), ...(on ? [] : [beginning])]
      .filter((move) => move.from <= to)
      .some((move) => !movesOf(thing, !on).some((o) => o.isSure && o.from >= move.to && o.to <= from));
  const isOver = (thing: string, by: number): boolean =>
    movesOf(thing, true).some(({ isSure, to }) => isSure && to <= by);
  const mayHaveBegun = (thing: string, by: number): boolean => movesOf(thing, true).some(({ from }) => from <= by);

  /** @param at the second in which the thing ends, as somebody decided within the span */
  const expire = (thing: string, at: number, span: Span): Span => {
    const expiry = { ...span, at };
    expiries.set(thing, [...(expiries.get(thing) ?? []), expiry]);
    return expiry;
  };
  const mayBeExpired = (thing: string, by: number, now: number): boolean =>
    (expiries.get(thing) ?? []).some(({ at, from }) => from <= by && at <= Math.floor(now / 1000));
  const isExpired = (thing: string, by: number, now: number): boolean =>
    (expiries.get(thing) ?? []).some(({ at, to }) => to <= by && at <= Math.floor(now / 1000));

  return { begin, end, couldBe, isOver, mayHaveBegun, expire, mayBeExpired, isExpired };
};
