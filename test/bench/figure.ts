/** A measured figure: the median, with the quartiles as its spread. */
import type { Report } from "./function-process.ts";

export type Figure = { median: number; low: number; high: number };

const quantile = (sorted: number[], share: number): number => {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
};

export const figure = (measured: number[]): Figure => {
  const sorted = measured.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
};

/** A figure that does not vary: a size, a count or a price. */
export const exactly = (value: number): Figure => ({ median: value, low: value, high: value });

/** Milliseconds of processor time for a request. */
export const cpuOf = (reports: Report[]): Figure =>
  figure(reports.map(({ cpuMilliseconds, invocations }) => cpuMilliseconds / invocations.length));

/** Milliseconds to a byte of the response. Each turn counts with its median. */
const millisecondsOf = (reports: Report[], byte: "first" | "last"): Figure =>
  figure(reports.map(({ invocations }) => figure(invocations.map(({ [byte]: time }) => time)).median));

export const firstByteOf = (reports: Report[]): Figure => millisecondsOf(reports, "first");

export const lastByteOf = (reports: Report[]): Figure => millisecondsOf(reports, "last");
