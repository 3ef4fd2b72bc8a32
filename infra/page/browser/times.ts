/** Times and sizes in the words of the reader's browser. */
import { element } from "./dom.ts";

const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
export const shortTimes = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const sizes = new Intl.NumberFormat("en", { notation: "compact", style: "unit", unit: "byte", unitDisplay: "narrow" });

export const { timeZone } = times.resolvedOptions();

export const timeOf = (iso: string, format = times): HTMLTimeElement =>
  element("time", { className: "soft", dateTime: iso, title: iso }, format.format(new Date(iso)));

/** Returns `at 11:20` for a time of today, otherwise `on` and the date. */
export const when = (iso: string): string => {
  const time = new Date(iso);
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? `at ${clock.format(time)}` : `on ${shortTimes.format(time)}`;
};

export const sizeText = (bytes: number): string => sizes.format(bytes);
