/** The messages that the search has read. */
import type { DeskMessage, FoundPage } from "../served.ts";
import { keyFor } from "./key.ts";
import { queryOf } from "./query.ts";
import { requestFound } from "./request.ts";
import { shown } from "./shown.ts";
import { type State, sinceOf } from "./state.ts";

/** `pages` is 0 before anything was read. */
export type Results = { messages: DeskMessage[]; next?: string; read: number; pages: number; readAt: number };

let results: Results = { messages: [], read: 0, pages: 0, readAt: 0 };
export const rowsRead = (): readonly DeskMessage[] => results.messages;
export const resultsRead = (): Results => results;

/** What has to be read anew if it changes; words, group and account only narrow what was read. */
export const sourceOf = ({ q, range }: Pick<State, "q" | "range">): string => {
  const query = queryOf(q);
  if (query.kind === "address") return `search ${query.address} ${range}`;
  return shown.source === "local" && query.kind !== "message" ? "recent" : "";
};

const pathOf = ({ q, range }: State, after?: string): string => {
  const query = queryOf(q);
  if (query.kind !== "address") return "recent";
  const since = sinceOf(range, Date.now());
  const parameters = { address: query.address, ...(since && { since }), ...(after && { after }) };
  return `search?${new URLSearchParams(parameters)}`;
};

const resultsOf = (page: FoundPage | null): Results => ({
  messages: page?.messages ?? [],
  ...(page?.next && { next: page.next }),
  read: page?.read ?? 0,
  pages: 1,
  readAt: Date.now(),
});

export const forgetResults = (): void => {
  results = { messages: [], read: 0, pages: 0, readAt: 0 };
};

/** Reads the first page. @throws RequestError */
export const readFirst = async (state: State): Promise<Results> =>
  resultsOf(await requestFound(pathOf(state), keyFor("")));

/** Reads the page behind those that were read. @throws RequestError */
export const readNext = async (state: State): Promise<Results> => {
  const page = resultsOf(await requestFound(pathOf(state, results.next), keyFor("")));
  return {
    ...page,
    messages: [...results.messages, ...page.messages],
    read: results.read + page.read,
    pages: results.pages + 1,
  };
};

export const keepResults = (read: Results): void => {
  results = read;
};
