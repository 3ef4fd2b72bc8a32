/** A row of the report: our figure beside its floor and its peer, with its goal. */
import { type Figure, ratioOf } from "./figure.ts";

type Sides = { ours: Figure; floor?: Figure | undefined; peer?: Figure | undefined };

export type Row = Sides & {
  /** The measured quantity, with its unit in brackets. */
  name: string;
  /** Ours divided by the goal's reference. Without a goal, the reference is the peer, or else the floor. */
  ratio: number | undefined;
  goal: string | undefined;
  /** How many times its goal the figure is: above 1, the goal is missed. */
  excess: number | undefined;
};

/** Bounds for the ratio. `of` is the reference: a side, or another figure with its name. */
export type Goal = {
  atMost?: number;
  atLeast?: number;
  of: "floor" | "peer" | [name: string, figure: Figure];
};

/** @param goal without a bound, the row has a ratio and no verdict */
export const row = (name: string, sides: Sides, goal?: Goal): Row => {
  const of = goal?.of ?? (sides.peer ? "peer" : "floor");
  const reference = typeof of === "string" ? sides[of] : of[1];
  const ratio = reference && ratioOf(sides.ours, reference);
  const { atMost, atLeast } = goal ?? {};
  const bound = atMost ? `≤ ${atMost} ` : atLeast ? `≥ ${atLeast} ` : "";
  const excess = (measured: number) => (atMost ? measured / atMost : (atLeast ?? 0) / measured);
  return {
    ...sides,
    name,
    ratio,
    goal: goal && `${bound}× ${[of].flat()[0]}`,
    excess: bound ? excess(ratio ?? Number.NaN) : undefined,
  };
};

/** A row whose goal is an amount in the row's own unit. */
export const rowWithin = (name: string, sides: Sides, atMost: number): Row => ({
  ...row(name, sides),
  goal: `≤ ${atMost}`,
  excess: sides.ours.median / atMost,
});

const significant = (value: number | undefined): number | null =>
  value === undefined ? null : Number(value.toPrecision(4));

const spread = (side: Figure | undefined) => side && [significant(side.low), significant(side.high)];

/** Without a ratio, a goal is missed. */
export const isMissed = ({ excess }: Row, tolerance = 1): boolean => excess !== undefined && !(excess <= tolerance);

/** Returns one line of `--json`: medians, with the quartiles of each side in `spread`. */
export const toJson = (row: Row): string => {
  const { name, ours, floor, peer, ratio, goal = "", excess } = row;
  return JSON.stringify({
    row: name,
    ours: significant(ours.median),
    floor: significant(floor?.median),
    peer: significant(peer?.median),
    ratio: significant(ratio),
    goal: goal || null,
    met: excess === undefined ? null : !isMissed(row),
    spread: { ours: spread(ours), floor: spread(floor), peer: spread(peer) },
  });
};

const digits = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));

const cell = (side: Figure | undefined): string => {
  if (!side) return "";
  const { median, low, high } = side;
  return low === high ? digits(median) : `${digits(median)} (${digits(low)}–${digits(high)})`;
};

const cells = (row: Row): string[] => {
  const { name, ours, floor, peer, ratio, goal = "", excess } = row;
  const verdict = excess === undefined ? "" : isMissed(row) ? "NO" : "yes";
  return [name, cell(ours), cell(floor), cell(peer), ratio?.toFixed(2) ?? "", goal, verdict];
};

/** Returns the rows as a Markdown table, aligned for a terminal. */
export const toTable = (rows: Row[], date: Date): string => {
  const heading = [date.toISOString().slice(0, 10), "ours", "floor", "peer", "ratio", "goal", "met"];
  const lines = [heading, heading.map(() => "---"), ...rows.map(cells)];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => `| ${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`)
    .join("\n");
};
