/** What the page shows is in its address, so that a link shows the same to a colleague. */
import { type Group, groups } from "./outcome.ts";

export const ranges = {
  "1d": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  all: "All time",
} as const;
export type Range = keyof typeof ranges;
export const usualRange: Range = "7d";

const dayMilliseconds = 86_400_000;
export const sinceOf = (range: Range, now: number): string | undefined =>
  range === "all" ? undefined : new Date(now - Number.parseInt(range, 10) * dayMilliseconds).toISOString();

/** The next longer range, if there is one. */
export const longerThan = (range: Range): Range | undefined => {
  const names = Object.keys(ranges) as Range[];
  return names[names.indexOf(range) + 1];
};

export type State = {
  q: string;
  range: Range;
  group: Group | "";
  account: string;
  /** The row whose message is shown beside the list, as `ACCOUNT/ID`. */
  chosen: string;
  /** The message that takes the whole page. */
  open: { account: string; id: string } | null;
};

const isOneOf = <Name extends string>(names: Record<Name, unknown>, name: string): name is Name =>
  Object.hasOwn(names, name);

export const stateOf = ({ search, hash }: { search: string; hash: string }): State => {
  const parameters = new URLSearchParams(search);
  const text = (name: string): string => parameters.get(name) ?? "";
  const [range, group] = [text("range"), text("group")];
  const [, account, id] = /^#([^/]+)\/([^/]+)$/.exec(hash) ?? [];
  return {
    q: text("q"),
    range: isOneOf(ranges, range) ? range : usualRange,
    group: isOneOf(groups, group) ? group : "",
    account: text("account"),
    chosen: text("chosen"),
    open: account && id ? { account, id } : null,
  };
};

/** The part of the address behind the path. */
export const addressOf = ({ q, range, group, account, chosen, open }: State): string => {
  const parameters = new URLSearchParams();
  if (q) parameters.set("q", q);
  if (range !== usualRange) parameters.set("range", range);
  if (group) parameters.set("group", group);
  if (account) parameters.set("account", account);
  if (chosen) parameters.set("chosen", chosen);
  const search = parameters.size > 0 ? `?${parameters}` : "";
  return search + (open ? `#${open.account}/${open.id}` : "");
};
