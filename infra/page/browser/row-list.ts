/** The list of rows: which one is chosen, with the mouse or the keyboard, and what stands beside it. */
import { changeState, current, narrowed } from "./current-search.ts";
import { element, find } from "./dom.ts";
import { showPeek } from "./peek.ts";
import { resultsRead } from "./results.ts";
import { nameOf, rowsView } from "./row-view.ts";
import { showAccounts, showCount, showGroups } from "./search-controls.ts";
import { byLastEvent } from "./verdict.ts";

/** From this width on, the chosen message stands beside the list. */
export const wide = matchMedia("(width >= 70rem)");

/** The name of the message from which the reader came back before the list was read. */
let awaited = "";

const rowLinks = (): HTMLAnchorElement[] => [...find("#rows").querySelectorAll("a")];
const rowOf = (name: string): HTMLAnchorElement | undefined => rowLinks().find(({ hash }) => hash === `#${name}`);

/** Rows are replaced when they change; the keyboard's focus stays on its row. */
export const showRows = (): void => {
  const found = narrowed();
  const listed = found.listed.toSorted(byLastEvent);
  const chosen = listed.find((message) => nameOf(message) === current().chosen) ?? listed[0];
  const active = document.activeElement;
  const focused = active instanceof HTMLAnchorElement && find("#rows").contains(active) ? active.hash : "";
  const rows = rowsView(listed, chosen ? nameOf(chosen) : "", Date.now());
  const none = element("p", { className: "soft", id: "none" }, "No message matches.");
  find("#rows").replaceChildren(...(rows.length > 0 ? rows : [none]));
  if (focused) rowOf(focused.slice(1))?.focus({ preventScroll: true });
  showGroups(found.matching, showRows);
  showAccounts();
  showCount(found);
  if (wide.matches) void showPeek(chosen);
  const name = awaited;
  awaited = "";
  if (name) returnToRow(name);
};

const choose = (name: string): void => {
  changeState({ chosen: name });
  for (const link of rowLinks()) {
    const isChosen = link.hash === `#${name}`;
    link.tabIndex = isChosen ? 0 : -1;
    link.ariaCurrent = isChosen ? "true" : null;
  }
  if (wide.matches) void showPeek(resultsRead().messages.find((message) => nameOf(message) === name));
};

/** Brings the row of the message that was open into view, with the keyboard's focus, as soon as the list is read. */
export const returnToRow = (name: string): void => {
  const row = rowOf(name);
  if (!row) {
    if (resultsRead().pages === 0) awaited = name;
    return;
  }
  choose(name);
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
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

/** On a wide screen, a click beside the subject shows the message beside the list; the next one opens it. */
const clickRow = (event: MouseEvent): void => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const isChosen = link.ariaCurrent === "true";
  const isOnSubject = event.target instanceof Element && event.target.closest("b") !== null;
  const isByKeyboard = event.detail === 0;
  choose(link.hash.slice(1));
  if (wide.matches && !isChosen && !isOnSubject && !isByKeyboard) {
    event.preventDefault();
    link.focus({ preventScroll: true });
  }
};

export const startRows = (): void => {
  find("#rows").onclick = clickRow;
  find("#rows").onkeydown = moveFocus;
  wide.onchange = () => resultsRead().pages > 0 && showRows();
};
