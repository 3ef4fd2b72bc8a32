/** Points in time: ISO 8601 in UTC, in the years that have four digits. */

export const isInRange = (time: Date): boolean => /^\d{4}-/.test(time.toISOString());

/** A fraction of a second is kept to nine digits; mail programs write no more, and further digits are ignored. */
const fractionDigits = 9;

/**
 * `2026-11-20T13:00:00.0009+01:00` becomes `2026-11-20T12:00:00.000900000Z`, so texts sort as the times do. Returns
 * `null` outside the years 0000 to 9999.
 *
 * @param time ISO 8601 with an offset
 */
export const toNanoseconds = (time: string): string | null => {
  const [, fraction = ""] = /\.(\d+)/.exec(time) ?? [];
  const seconds = new Date(time.replace(`.${fraction}`, ""));
  if (!isInRange(seconds)) return null;
  return `${seconds.toISOString().slice(0, 19)}.${fraction.slice(0, fractionDigits).padEnd(fractionDigits, "0")}Z`;
};

/** @param time as {@link toNanoseconds} returns it */
export const toMilliseconds = (time: string): string => `${time.slice(0, 23)}Z`;
