/** The search is the page: an address, what narrows it, and the messages that were found. */
import { visible } from "../../cli/visible.ts";
import { copy } from "./copy.ts";
import { addressOfSearch, changeState, current, takeStateFromAddress } from "./current-search.ts";
import { button, element, find } from "./dom.ts";
import { showPeek } from "./peek.ts";
import { queryOf } from "./query.ts";
import type { RequestError } from "./request.ts";
import { forgetResults, keepResults, readFirst, readNext, resultsRead, sourceOf } from "./results.ts";
import { showRows, startRows } from "./row-list.ts";
import { showReadAt } from "./search-controls.ts";
import { shown } from "./shown.ts";
import { longerThan, type Range, ranges } from "./state.ts";

const queryInput = find<HTMLInputElement>("#query");
const rangeInput = find<HTMLSelectElement>("#range");
const accountInput = find<HTMLSelectElement>("#account");

/** What the results were read for. */
let source = "";
let turn = 0;

const say = (sentence: string, className = "soft", ...buttons: HTMLElement[]): void => {
  find("#rows").replaceChildren(element("p", { className, id: "none" }, sentence, ...buttons));
  for (const id of ["#more", "#count", "#read-at"]) find(id).replaceChildren();
  void showPeek(undefined);
};

const retryOf = (error: RequestError, retry: () => void): HTMLElement[] =>
  error.isTemporary ? [button("Try again", retry)] : [];

const searchIn = (range: Range): void => {
  changeState({ range }, true);
  rangeInput.value = range;
  void search();
};

/** What the end of the list says: there is more, or that was all. */
const showEnd = (): void => {
  const { next, read } = resultsRead();
  const { q, range } = current();
  const longer = longerThan(range);
  const more = find("#more");
  if (next) {
    const sentence = `The newest ${read} were read; counts and filters cover only these.`;
    more.replaceChildren(sentence, button("Read older ones", readOlder));
  } else if (queryOf(q).kind === "address") {
    const whole = range === "all" ? "That is everything." : `That is everything of the ${ranges[range].toLowerCase()}.`;
    const others = longer ? [button(ranges[longer], () => searchIn(longer))] : [];
    more.replaceChildren(`${whole} Messages past their retention are gone.`, ...others);
  } else more.replaceChildren("The newest messages of this machine. Type an address to find a person's.");
};

const showResults = (): void => {
  showRows();
  showEnd();
};

const readOlder = async (): Promise<void> => {
  const own = turn;
  find("#more").textContent = "Reading older messages";
  const read = await readNext(current()).catch((error: RequestError) => error);
  if (own !== turn) return;
  if (read instanceof Error) return find("#more").replaceChildren(read.message, ...retryOf(read, readOlder));
  keepResults(read);
  showResults();
};

/** Reads the first page of what the state asks for. */
export const search = async (): Promise<void> => {
  const own = ++turn;
  const q = visible(current().q);
  source = sourceOf(current());
  document.title = q ? `${q} · Desk` : "Desk";
  find("#results-title").textContent = q ? `Messages of ${q}` : "Messages";
  forgetResults();
  find("#groups").replaceChildren();
  if (!source) {
    return say(
      "Type the address of a person. Words behind it narrow the result: of the subject, the status or the account.",
    );
  }
  say("Searching");
  const read = await readFirst(current()).catch((error: RequestError) => error);
  if (own !== turn) return; // the reader has asked for something else
  if (read instanceof Error) return say(read.message, "bad", ...retryOf(read, search));
  keepResults(read);
  showResults();
};

/** Reads the first page again. If the reader has gone on to older pages, everything stays as it is. */
export const refresh = async (): Promise<void> => {
  const own = turn;
  const before = resultsRead();
  if (before.pages !== 1) return;
  const read = await readFirst(current()).catch(() => null);
  if (!read || own !== turn || resultsRead() !== before) return;
  const isSame = JSON.stringify(read.messages) === JSON.stringify(before.messages);
  keepResults(read);
  if (isSame) showReadAt();
  else showResults();
};

/** Takes the state from the address, for example after Back. */
export const readState = (): void => {
  takeStateFromAddress();
  queryInput.value = current().q;
  rangeInput.value = current().range;
  if (sourceOf(current()) === source && resultsRead().pages > 0) showResults();
  else void search();
};

const submit = (): void => {
  const query = queryOf(queryInput.value);
  if (query.kind === "message") {
    location.hash = `#${query.account_id}/${query.id}`;
    return;
  }
  const change = { q: queryInput.value.trim(), range: rangeInput.value as Range };
  const isNew = sourceOf(change) !== source;
  changeState(isNew ? { ...change, chosen: "", account: "", group: "" } : change, isNew);
  void search();
};

/** Words narrow at once what was read; another address waits for Enter. */
const narrow = (): void => {
  const q = queryInput.value.trim();
  if (sourceOf({ q, range: current().range }) !== source || resultsRead().pages === 0) return;
  changeState({ q });
  showResults();
};

export const startSearch = (): void => {
  if (shown.source === "api") return;
  const options = Object.entries(ranges).map(([value, label]) => element("option", { value }, label));
  rangeInput.replaceChildren(...options);
  find<HTMLFormElement>("#find").onsubmit = (event) => {
    event.preventDefault();
    submit();
  };
  rangeInput.onchange = submit;
  queryInput.oninput = narrow;
  accountInput.onchange = () => {
    changeState({ account: accountInput.value });
    showResults();
  };
  find("#copy-search").onclick = () => copy(location.origin + addressOfSearch());
  startRows();
  readState();
};
