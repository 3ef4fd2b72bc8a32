/** The state of the search, which is also in the page's address. */
import type { DeskMessage } from "../served.ts";
import { withWords } from "./narrow.ts";
import { groupOf } from "./outcome.ts";
import { queryOf } from "./query.ts";
import { resultsRead } from "./results.ts";
import { addressOf, type State, stateOf } from "./state.ts";

let state = stateOf(location);
export const current = (): State => state;

export const takeStateFromAddress = (): void => {
  state = stateOf(location);
};

/** The address of the search, without the message that may be open. */
export const addressOfSearch = (): string => location.pathname + addressOf({ ...state, open: null });

/** @param isStep whether the browser's Back button leads back to the state before */
export const changeState = (change: Partial<State>, isStep = false): void => {
  state = { ...state, ...change };
  if (isStep) history.pushState(null, "", addressOfSearch());
  else history.replaceState(history.state, "", addressOfSearch());
};

export type Narrowed = {
  /** Messages with the words and the account of the search, whatever their outcome. */
  matching: DeskMessage[];
  /** Those with the chosen outcome. */
  listed: DeskMessage[];
};

export const narrowed = (): Narrowed => {
  const query = queryOf(state.q);
  const { account, group } = state;
  const matching = withWords(resultsRead().messages, "words" in query ? query.words : []).filter(
    ({ account_id }) => account === "" || account_id === account,
  );
  return { matching, listed: matching.filter((message) => group === "" || groupOf(message) === group) };
};
