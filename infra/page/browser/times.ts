/** Times, durations and sizes in the words of the reader's browser. */

const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const dayOnly = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const sizes = new Intl.NumberFormat("en", { notation: "compact", style: "unit", unit: "byte", unitDisplay: "narrow" });

export const { timeZone } = full.resolvedOptions();

/** Returns such as `UTC+1`. */
export const zoneOffset = (now: number): string => {
  const minutes = -new Date(now).getTimezoneOffset();
  const hours = Math.trunc(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`;
};

export const fullTime = (time: string | number): string => full.format(new Date(time));
export const clockTime = (time: string | number): string => clock.format(new Date(time));

/** Returns such as `24 Nov, 00:48`, and with the year if it isn't this one. */
export const shortTime = (iso: string, now: number): string => {
  const time = new Date(iso);
  const isThisYear = time.getFullYear() === new Date(now).getFullYear();
  return isThisYear ? dayAndTime.format(time) : `${dayOnly.format(time)}, ${clock.format(time)}`;
};

const startOfDay = (time: number, days = 0): number => {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
};

/** The heading of a day, such as `Yesterday · Tuesday 24 November`. */
export const dayHeading = (iso: string, now: number): string => {
  const start = startOfDay(Date.parse(iso));
  const name = weekday.format(start);
  if (start === startOfDay(now)) return `Today · ${name}`;
  if (start === startOfDay(now, -1)) return `Yesterday · ${name}`;
  const { format } = new Intl.DateTimeFormat("en", { year: "numeric" });
  return format(start) === format(now) ? name : `${name}, ${format(start)}`;
};

const units: [name: string, plural: string, milliseconds: number][] = [
  ["day", "days", 86_400_000],
  ["h", "h", 3_600_000],
  ["min", "min", 60_000],
  ["s", "s", 1000],
];

/** Returns such as `22 h` or `3 days`: the largest unit of which there are two, or seconds. */
export const durationText = (milliseconds: number): string => {
  for (const [name, plural, unit] of units) {
    const count = Math.round(milliseconds / unit);
    if (count >= 2 || (count === 1 && unit <= 60_000)) return `${count} ${count === 1 ? name : plural}`;
  }
  return "0 s";
};

/** Returns such as `in 30 days`, or `22 h ago`. */
export const fromNow = (iso: string, now: number): string => {
  const left = Date.parse(iso) - now;
  return left >= 0 ? `in ${durationText(left)}` : `${durationText(-left)} ago`;
};

export const sizeText = (bytes: number): string => sizes.format(bytes);
