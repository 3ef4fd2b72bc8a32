/** A row of the report: our figure beside its floor and its peer, with its goal. */
import type { Figure } from "./figure.ts";

export type Row = {
  /** The measured quantity, with its unit in brackets. */
  row: string;
  ours: Figure;
  floor: Figure | null;
  peer: Figure | null;
  /** Ours divided by the goal's reference. Without a goal, the reference is the peer, or else the floor. */
  ratio: number | null;
  goal: string | null;
  met: boolean | null;
};

type Sides = { ours: Figure; floor?: Figure | undefined; peer?: Figure | undefined };

/** Bounds for the ratio. `of` is the reference: a side, or another figure with its name. */
type Goal = { atMost?: number; atLeast?: number; of: "floor" | "peer" | [name: string, figure: Figure] };

const reached = ({ atMost = Infinity, atLeast = -Infinity }: Goal, value: number): boolean =>
  value <= atMost && value >= atLeast;

/** @param goal without a bound, the row has a ratio and no verdict */
export const row = (name: string, { ours, floor, peer }: Sides, goal?: Goal): Row => {
  const of = goal?.of ?? (peer ? "peer" : "floor");
  const reference = typeof of === "string" ? { floor, peer }[of] : of[1];
  const ratio = reference ? ours.median / reference.median : null;
  const bound = goal?.atMost ? `≤ ${goal.atMost} ` : goal?.atLeast ? `≥ ${goal.atLeast} ` : "";
  const words = goal && `${bound}× ${[of].flat()[0]}`;
  return {
    row: name,
    ours,
    floor: floor ?? null,
    peer: peer ?? null,
    ratio,
    goal: words ?? null,
    met: goal && bound && ratio !== null ? reached(goal, ratio) : null,
  };
};

/** A row whose goal is an amount in the row's own unit. */
export const rowWithin = (name: string, sides: Sides, atMost: number): Row => ({
  ...row(name, sides),
  goal: `≤ ${atMost}`,
  met: sides.ours.median <= atMost,
});

const significant = (value: number): number => Number(value.toPrecision(4));
const spread = ({ low, high }: Figure): number[] => [significant(low), significant(high)];

/** Returns one line of `--json`: medians, with the quartiles of each side in `spread`. */
export const toJson = ({ ours, floor, peer, ratio, ...rest }: Row): string =>
  JSON.stringify({
    row: rest.row,
    ours: significant(ours.median),
    floor: floor && significant(floor.median),
    peer: peer && significant(peer.median),
    ratio: ratio && significant(ratio),
    goal: rest.goal,
    met: rest.met,
    spread: { ours: spread(ours), floor: floor && spread(floor), peer: peer && spread(peer) },
  });

const digits = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));

const cell = (side: Figure | null): string => {
  if (!side) return "";
  const { median, low, high } = side;
  return low === high ? digits(median) : `${digits(median)} (${digits(low)}–${digits(high)})`;
};

const headings = ["ours", "floor", "peer", "ratio", "goal", "met"];

const cells = ({ row: name, ours, floor, peer, ratio, goal, met }: Row): string[] => [
  name,
  cell(ours),
  cell(floor),
  cell(peer),
  ratio === null ? "" : ratio.toFixed(2),
  goal ?? "",
  met === null ? "" : met ? "yes" : "NO",
];

/** Returns the rows as a Markdown table, aligned for a terminal. */
export const toTable = (rows: Row[], date: Date): string => {
  const heading = [date.toISOString().slice(0, 10), ...headings];
  const lines = [heading, ...rows.map(cells)];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const join = (line: string[], fill = " ") =>
    `| ${line.map((text, column) => text.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`;
  const [first = [], ...rest] = lines;
  return [
    join(first),
    join(
      heading.map(() => ""),
      "-",
    ),
    ...rest.map((line) => join(line)),
  ].join("\n");
};
