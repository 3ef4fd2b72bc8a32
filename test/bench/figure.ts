/** A measured figure: the median, with the quartiles as its spread. `measured` has the value of each turn, in order. */
import type { Report } from "./function-process.ts";

export type Figure = { median: number; low: number; high: number; measured: readonly number[] };

const quantile = (sorted: number[], share: number): number => {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
};

export const figure = (measured: number[]): Figure => {
  const sorted = measured.toSorted((a, b) => a - b);
  const [median, low, high] = [quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75)];
  return { median, low, high, measured };
};

/** A figure that does not vary: a size, a count or a price. */
export const exactly = (value: number): Figure => figure([value]);

/**
 * Divides a figure by another figure. If both sides took turns, returns the median of the turns' ratios, because both
 * sides of one turn ran at the same speed of the machine. Otherwise returns the ratio of the medians.
 */
export const ratioOf = (ours: Figure, reference: Figure): number =>
  ours.measured.length === reference.measured.length
    ? figure(ours.measured.map((value, turn) => value / (reference.measured[turn] ?? 0))).median
    : ours.median / reference.median;

/** Milliseconds of processor time for a request. */
export const cpuOf = (reports: Report[]): Figure =>
  figure(reports.map(({ cpuMilliseconds, invocations }) => cpuMilliseconds / invocations.length));

/** Milliseconds to a byte of the response. Each turn counts with its median. */
const millisecondsOf = (reports: Report[], byte: "first" | "last"): Figure =>
  figure(reports.map(({ invocations }) => figure(invocations.map(({ [byte]: time }) => time)).median));

export const firstByteOf = (reports: Report[]): Figure => millisecondsOf(reports, "first");

export const lastByteOf = (reports: Report[]): Figure => millisecondsOf(reports, "last");
