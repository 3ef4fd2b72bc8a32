/** Reads the dates of email headers (RFC 5322, sections 3.3 and 4.3). */
import { isInRange } from "../time/timestamp.ts";
import { afterComments } from "./header.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Offsets from UTC in hours. A zone name that isn't listed here counts as UTC (RFC 5322, section 4.3). */
const zones: Record<string, number> = { edt: -4, est: -5, cdt: -5, cst: -6, mdt: -6, mst: -7, pdt: -7, pst: -8 };

const dateTime =
  /^(?:[^\d ]+ )?(\d{1,2})[ /.-]+([a-z]{3})[a-z]*\.?[ /-]+(\d{2,4}) (\d{1,2})[:.](\d{1,2})(?:[:.](\d{1,2})(?:\.\d+)?)?(?: ?([ap]m)\b)? ?(?:(?:gmt|utc?)? ?([+-]?)(\d{1,2})(?::?(\d{2})|(?<=[+-]\d\d?))|([a-z]+))?(?:[ ;[]|$)/i;

/** The Unix command `date` prints `Fri Nov 20 12:00:00 EST 2026`. */
const unixDate = /^(?:[a-z]+ )?([a-z]{3,}) (\d{1,2}) (\d{1,2}[:.]\S+)( [a-z]+| [+-]\d{4})? (\d{4})\b/i;

/** Matches `Nov 20, 2026 12:00:00 PM`. */
const americanDate = /^(?:[a-z]+\.? )?([a-z]{3,}\.?) (\d{1,2}) (\d{4}) /i;

/** Matches `2026-11-20T12:00:00+01:00` (ISO 8601) and `2026/11/20 12:00`. */
const yearFirst = /^(?:[a-z]+\.? )?(\d{4})([/.-])(\d{1,2})\2(\d{1,2})[t ](?=\d)/i;

/** Matches `20261120T120000Z` (ISO 8601). */
const isoWithoutSeparators = /^(\d{4})(\d{2})(\d{2})t(\d{2})(\d{2})(\d{2})/i;

/** Matches `11/20/2026 12:00`, `20.11.2026 12:00` and `20 11 2026 12:00`. */
const yearLast = /^(?:([a-z]+)\.? )?(\d{1,2})([ /.-])(\d{1,2})\3(\d{4}|\d{2}) /i;

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** In 01/05/2026, a weekday tells which number is the month; otherwise, it's the first before slashes, as in America. */
const isMonthFirst = (first: number, second: number, separator: string, year: string, weekday: string): boolean => {
  if (first > 12 || second > 12) return second > 12;
  const dayOf = (month: number, day: number) =>
    weekdays[new Date(Date.UTC(fullYear(year), month - 1, day)).getUTCDay()];
  const named = weekday.slice(0, 3).toLowerCase();
  const isMonth = dayOf(first, second) === named;
  return isMonth === (dayOf(second, first) === named) ? separator === "/" : isMonth;
};

/** Writes the month as a word. */
const withMonthName = (words: string): string => {
  const [start, isoYear, , isoMonth, isoDay] = yearFirst.exec(words) ?? [];
  if (start) return `${isoDay} ${months[Number(isoMonth) - 1]} ${isoYear} ${words.slice(start.length)}`;
  const [begin, weekday = "", first, separator = "", second, year = ""] = yearLast.exec(words) ?? [];
  if (!begin) return words;
  const isFirst = isMonthFirst(Number(first), Number(second), separator, year, weekday);
  const [month, day] = isFirst ? [first, second] : [second, first];
  return `${day} ${months[Number(month) - 1]} ${year} ${words.slice(begin.length)}`;
};

/** Returns null if the text is not a date. `Date.parse` would read `Foo 1` as a date. */
export const parseDate = (text: string): Date | null => {
  const words = withMonthName(withoutComments(text).replace(isoWithoutSeparators, "$1-$2-$3 $4:$5:$6"))
    .replace(unixDate, "$2 $1 $5 $3$4")
    .replace(americanDate, "$2 $1 $3 ");
  const match = dateTime.exec(words);
  if (!match) return null;
  const [, day, monthName = "", year = "", hour, minute, second, half, sign, hours, minutes = 0, zone = ""] = match;
  const month = months.indexOf(monthName.toLowerCase());
  const offset = hours
    ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
    : (zones[zone.toLowerCase()] ?? 0) * 60;
  const hour24 = half ? (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0) : Number(hour);
  // A leap second counts as the first second of the next minute.
  const local = new Date(Date.UTC(fullYear(year), month, Number(day), hour24, Number(minute), Number(second ?? 0)));
  const isReal = month >= 0 && hour24 < 24 && Number(minute) < 60 && Number(second ?? 0) <= 60;
  const isInMonth = new Date(Date.UTC(fullYear(year), month, Number(day))).getUTCMonth() === month;
  const time = new Date(local.getTime() - offset * 60_000);
  return isReal && isInMonth && isInRange(time) ? time : null;
};

const word = /[^ \t(]*/y;

const withoutComments = (text: string): string => {
  const words: string[] = [];
  let at = afterComments(text, 0);
  while (at < text.length) {
    word.lastIndex = at;
    const [token = ""] = word.exec(text) ?? [];
    words.push(token);
    at = afterComments(text, at + token.length);
  }
  return words
    .join(" ")
    .replace(/(?<=:\d\d),\d+/, "")
    .replace(/ ?: ?/g, ":")
    .replace(/ ?, ?/g, " ")
    .trim();
};

/** In old dates, the year 49 means 2049, 50 means 1950, and 103 means 2003 (RFC 5322, section 4.3). */
const fullYear = (digits: string): number => {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 50 && digits.length === 2 ? 2000 + year : 1900 + year;
};
