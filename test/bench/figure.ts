/** A figure: the median of what was measured, with the quartiles as its spread. */

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

/** A figure that does not vary: a size, a count, a price. */
export const exactly = (value: number): Figure => ({ median: value, low: value, high: value });
