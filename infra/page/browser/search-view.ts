/** The search is the page: an address, what narrows it, and the messages that were found. */
import type { DeskMessage } from "../served.ts";
import { copy } from "./copy.ts";
import { button, element, find } from "./dom.ts";
import { accountLabel, countsOf, withWords } from "./narrow.ts";
import { type Group, groupOf, groups } from "./outcome.ts";
import { showPeek } from "./peek.ts";
import { queryOf } from "./query.ts";
import type { RequestError } from "./request.ts";
import { forgetResults, keepResults, readFirst, readNext, resultsRead, sourceOf } from "./results.ts";
import { nameOf, rowsView } from "./row-view.ts";
import { shown } from "./shown.ts";
import { addressOf, longerThan, type Range, ranges, type State, stateOf } from "./state.ts";
import { clockTime } from "./times.ts";

const queryInput = find<HTMLInputElement>("#query");
const rangeInput = find<HTMLSelectElement>("#range");
const accountInput = find<HTMLSelectElement>("#account");
const wide = matchMedia("(width >= 70rem)");

let state = stateOf(location);
/** What {@link resultsRead} was read for. */
let source = "";
let turn = 0;

/** @param isStep whether the browser's Back button leads back to the state before */
const setState = (change: Partial<State>, isStep = false): void => {
  state = { ...state, ...change };
  const address = location.pathname + addressOf({ ...state, open: null });
  if (isStep) history.pushState(null, "", address);
  else history.replaceState(history.state, "", address);
};

const plural = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

type Narrowed = { matching: DeskMessage[]; listed: DeskMessage[] };
const narrowed = (): Narrowed => {
  const query = queryOf(state.q);
  const words = "words" in query ? query.words : [];
  const { account, group } = state;
  const matching = withWords(resultsRead().messages, words).filter(
    ({ account_id }) => account === "" || account_id === account,
  );
  return { matching, listed: matching.filter((message) => group === "" || groupOf(message) === group) };
};

const showGroups = (matching: readonly DeskMessage[]): void => {
  const counts = countsOf(matching);
  const names: [Group | "", string, number][] = [["", "All", matching.length]];
  for (const group of Object.keys(groups) as Group[]) names.push([group, groups[group], counts.get(group) ?? 0]);
  const shownNames = names.filter(([name, , count]) => name === "" || count > 0 || name === state.group);
  const focused = document.activeElement instanceof HTMLInputElement ? document.activeElement.value : null;
  const isFocused = find("#groups").contains(document.activeElement);
  find("#groups").replaceChildren(
    ...shownNames.map(([value, label, count]) => {
      const onchange = () => {
        setState({ group: value });
        showRows();
      };
      const tone = value === "bad" || value === "wait" || value === "good" ? value : "";
      const input = element("input", { type: "radio", name: "group", value, checked: value === state.group, onchange });
      return element("label", { className: tone }, input, `${label} ${count}`);
    }),
  );
  if (isFocused) find("#groups").querySelector<HTMLInputElement>(`input[value="${focused}"]`)?.focus();
};

const showAccounts = (): void => {
  const accounts = new Map(resultsRead().messages.map((message) => [message.account_id, accountLabel(message)]));
  if (state.account && !accounts.has(state.account)) accounts.set(state.account, state.account.slice(0, 8));
  const options = [["", "All accounts"], ...accounts].map(([value = "", label = ""]) =>
    element("option", { value, selected: value === state.account }, label),
  );
  accountInput.replaceChildren(...options);
};

const showCount = ({ matching, listed }: Narrowed): void => {
  const { next, readAt } = resultsRead();
  const query = queryOf(state.q);
  const ofWhom = query.kind === "address" ? " as recipient or sender" : "";
  const isAll = listed.length === matching.length && matching.length === resultsRead().messages.length;
  const shownCount = isAll
    ? plural(listed.length, "message")
    : `${listed.length} of ${plural(resultsRead().messages.length, "message")}`;
  const partial = next ? `, of the newest ${resultsRead().read} that were read` : "";
  find("#count").replaceChildren(element("b", {}, shownCount), `${ofWhom}${partial}`);
  find("#read-at").textContent = `newest event first · read at ${clockTime(readAt)}`;
};

const rangeButton = (range: Range): HTMLElement =>
  button(ranges[range], () => {
    setState({ range }, true);
    rangeInput.value = range;
    search();
  });

const showEnd = (): void => {
  const { next, read } = resultsRead();
  const query = queryOf(state.q);
  const longer = longerThan(state.range);
  const nodes: (Node | string)[] = [];
  if (next) {
    nodes.push(
      `The newest ${read} were read; counts and filters cover only these.`,
      button("Read older ones", readOlder),
    );
  } else if (query.kind === "address") {
    const whole =
      state.range === "all" ? "That is everything." : `That is everything of the ${ranges[state.range].toLowerCase()}.`;
    nodes.push(`${whole} Messages past their retention are gone.`);
    if (longer) nodes.push(rangeButton(longer));
  } else nodes.push("The newest messages of this machine. Type an address to find a person's.");
  find("#more").replaceChildren(...nodes);
};

const chosenOf = (listed: readonly DeskMessage[]): DeskMessage | undefined =>
  listed.find((message) => nameOf(message) === state.chosen) ?? newestOf(listed);
const newestOf = (listed: readonly DeskMessage[]): DeskMessage | undefined => {
  const first = rowsView(listed, "", Date.now())[1]?.querySelector("a")?.hash.slice(1);
  return listed.find((message) => nameOf(message) === first);
};

/** Rows are replaced when they change; the keyboard's focus stays on its row. */
const showRows = (): void => {
  const found = narrowed();
  const { listed } = found;
  const chosen = chosenOf(listed);
  const active = document.activeElement;
  const focused = active instanceof HTMLAnchorElement && find("#rows").contains(active) ? active.hash : "";
  const rows = rowsView(listed, chosen ? nameOf(chosen) : "", Date.now());
  const none = element("p", { className: "soft", id: "none" }, "No message matches.");
  find("#rows").replaceChildren(...(rows.length > 0 ? rows : [none]));
  if (focused) rowOf(focused.slice(1))?.focus({ preventScroll: true });
  showGroups(found.matching);
  showAccounts();
  showCount(found);
  showEnd();
  if (wide.matches) showPeek(chosen);
};

const rowLinks = (): HTMLAnchorElement[] => [...find("#rows").querySelectorAll("a")];
const rowOf = (name: string): HTMLAnchorElement | undefined => rowLinks().find(({ hash }) => hash === `#${name}`);

const choose = (name: string): void => {
  setState({ chosen: name });
  for (const link of rowLinks()) {
    const isChosen = link.hash === `#${name}`;
    link.tabIndex = isChosen ? 0 : -1;
    link.ariaCurrent = isChosen ? "true" : null;
  }
  if (wide.matches) showPeek(resultsRead().messages.find((message) => nameOf(message) === name));
};

/** Brings the row of the message that was open into view, with the keyboard's focus. */
export const returnToRow = (name: string): void => {
  const row = rowOf(name);
  if (!row) return;
  choose(name);
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
};

const complain = (error: RequestError, retry: () => void): void => {
  const again = error.isTemporary ? [button("Try again", retry)] : [];
  find("#rows").replaceChildren(element("p", { className: "bad" }, error.message, ...again));
  find("#more").replaceChildren();
  find("#count").textContent = "";
  showPeek(undefined);
};

const readOlder = async (): Promise<void> => {
  const own = turn;
  find("#more").textContent = "Reading older messages";
  const read = await readNext(state).catch((error: RequestError) => error);
  if (own !== turn) return;
  if (read instanceof Error) {
    const again = read.isTemporary ? [button("Try again", readOlder)] : [];
    return find("#more").replaceChildren(read.message, ...again);
  }
  keepResults(read);
  showRows();
};

const askForAddress = (): void => {
  const sentence =
    shown.source === "api"
      ? "An API has no search. Enter the ids of a message and a key of its account."
      : "Type the address of a person. Words behind it narrow the result: of the subject, the status or the account.";
  find("#rows").replaceChildren(element("p", { className: "soft", id: "none" }, sentence));
  for (const id of ["#more", "#count", "#read-at", "#groups"]) find(id).replaceChildren();
  showPeek(undefined);
};

/** Reads the first page of what the state asks for. */
export const search = async (): Promise<void> => {
  const own = ++turn;
  source = sourceOf(state);
  document.title = state.q ? `${state.q} · Desk` : "Desk";
  find("#results-title").textContent = state.q ? `Messages of ${state.q}` : "Messages";
  forgetResults();
  if (!source) return askForAddress();
  find("#rows").replaceChildren(element("p", { className: "soft", id: "none" }, "Searching"));
  find("#more").replaceChildren();
  find("#count").textContent = "";
  showPeek(undefined);
  const read = await readFirst(state).catch((error: RequestError) => error);
  if (own !== turn) return; // the reader has asked for something else
  if (read instanceof Error) return complain(read, search);
  keepResults(read);
  showRows();
};

/** Reads the first page again. If the reader has gone on to older pages, everything stays as it is. */
export const refresh = async (): Promise<void> => {
  const own = turn;
  const before = resultsRead();
  if (!source || before.readAt === 0 || before.read > before.messages.length + 1000) return;
  const read = await readFirst(state).catch(() => null);
  if (!read || own !== turn || resultsRead() !== before || before.messages.length > read.messages.length + 49) return;
  const isSame = JSON.stringify(read.messages) === JSON.stringify(before.messages);
  keepResults(read);
  if (isSame) find("#read-at").textContent = `newest event first · read at ${clockTime(read.readAt)}`;
  else showRows();
};

const moveFocus = (event: KeyboardEvent): void => {
  const links = rowLinks();
  const index = links.indexOf(document.activeElement as HTMLAnchorElement);
  const steps: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: links.length - 1 };
  const next = links[steps[event.key] ?? -1];
  if (index < 0 || !next) return;
  event.preventDefault();
  choose(next.hash.slice(1));
  next.focus();
};

/** On a wide screen, the first click shows the message beside the list; the second one opens it. */
const clickRow = (event: MouseEvent): void => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const name = link.hash.slice(1);
  const isChosen = link.ariaCurrent === "true";
  choose(name);
  if (wide.matches && !isChosen) {
    event.preventDefault();
    link.focus({ preventScroll: true });
  }
};

/** Takes the state from the address, for example after Back. */
export const readState = (): void => {
  state = stateOf(location);
  queryInput.value = state.q;
  rangeInput.value = state.range;
  if (sourceOf(state) === source && resultsRead().readAt > 0) showRows();
  else search();
};

const submit = (): void => {
  const query = queryOf(queryInput.value);
  if (query.kind === "message") {
    location.hash = `#${query.account_id}/${query.id}`;
    return;
  }
  const change = { q: queryInput.value.trim(), range: rangeInput.value as Range };
  const isNew = sourceOf(change) !== source;
  setState(isNew ? { ...change, chosen: "", account: "", group: "" } : change, isNew);
  search();
};

export const startSearch = (): void => {
  const options = Object.entries(ranges).map(([value, label]) => element("option", { value }, label));
  rangeInput.replaceChildren(...options);
  find<HTMLFormElement>("#find").onsubmit = (event) => {
    event.preventDefault();
    submit();
  };
  rangeInput.onchange = submit;
  accountInput.onchange = () => {
    setState({ account: accountInput.value });
    showRows();
  };
  queryInput.oninput = () => {
    // Words narrow at once what was read; another address waits for Enter.
    const q = queryInput.value.trim();
    if (sourceOf({ q, range: state.range }) !== source || resultsRead().readAt === 0) return;
    setState({ q });
    showRows();
  };
  find("#rows").onclick = clickRow;
  find("#rows").onkeydown = moveFocus;
  find("#copy-search").onclick = () =>
    copy(`${location.origin}${location.pathname}${addressOf({ ...state, open: null })}`);
  wide.onchange = () => resultsRead().readAt > 0 && showRows();
  readState();
};
