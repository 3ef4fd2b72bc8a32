/** Pseudo-random numbers that a seed determines. Each process has its own, so leaving one out changes no other. */

export type Random = {
  /** From 0 up to, but not including, 1. */
  next: () => number;
  /** A whole number from 0 up to, but not including, `end`. */
  below: (end: number) => number;
  chance: (probability: number) => boolean;
  oneOf: <T>(items: readonly T[]) => T;
  bytes: (count: number) => Buffer;
  uuid: () => string;
};

/** mulberry32, started with the FNV-1a digest of the text. */
export const randomFrom = (seed: string): Random => {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  const bytes = (count: number): Buffer => {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index++) bytes[index] = below(256);
    return bytes;
  };
  return {
    next,
    below,
    bytes,
    chance: (probability) => next() < probability,
    oneOf: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    uuid: () => {
      const hex = bytes(16).toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
};
