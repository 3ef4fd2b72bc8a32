/** The support desk: what became of each email of a person, and the email as its reader saw it. */
import { visible } from "../../cli/visible.ts";
import { fillForm, startApiForm } from "./api-form.ts";
import { closeTo, openDepth } from "./attachments.ts";
import { find, say } from "./dom.ts";
import { fitAllFrames } from "./frame.ts";
import { startKey } from "./key.ts";
import { closeMessage, openName, refreshMessage, showMessage, startMessageView } from "./message-view.ts";
import { returnToRow } from "./row-list.ts";
import { readState, refresh, search, startSearch } from "./search-view.ts";
import { shown } from "./shown.ts";
import { stateOf } from "./state.ts";
import { timeZone, zoneOffset } from "./times.ts";

const hasSearch = shown.source !== "api";
/** A deployed table costs money for each read: a page of a person's messages about 27 units. */
const secondsBetweenReads = shown.source === "local" ? 3 : 30;

const setPrinting = (isPrinting: boolean): void => {
  document.documentElement.classList.toggle("printing", isPrinting);
  fitAllFrames();
};

/** Shows what the address says: a message, or the search. */
const show = (): void => {
  const { open, q } = stateOf(location);
  const before = openName();
  fillForm();
  if (hasSearch) find("#search").hidden = open !== null;
  find("#find").hidden = !hasSearch || open !== null;
  if (open) {
    if (before !== `${open.account}/${open.id}`) scrollTo(0, 0);
    void showMessage();
    return;
  }
  if (location.hash.length > 1 && location.hash !== "#list")
    say("This address names no message. Behind the # belong an account id, a slash and a message id.", "bad");
  closeMessage();
  document.title = q ? `${visible(q)} · Desk` : "Desk";
  if (before) returnToRow(before);
};

/** What takes long is done less often. */
const keepReading = async (): Promise<void> => {
  const start = performance.now();
  if (!document.hidden) await (stateOf(location).open ? refreshMessage() : hasSearch && refresh());
  setTimeout(keepReading, Math.max(secondsBetweenReads * 1000, (performance.now() - start) * 30));
};

window.onbeforeprint = () => setPrinting(true);
window.onafterprint = () => setPrinting(false);
window.onresize = fitAllFrames;
window.onhashchange = () => {
  say("");
  show();
};
window.onpopstate = async ({ state }) => {
  const { open } = stateOf(location);
  if (open && openName() === `${open.account}/${open.id}` && openDepth() > 0) await closeTo(state?.depth ?? 0);
  else if (!open && hasSearch) readState();
};

/** Leads past the form, without another address. */
find("#skip").onclick = (event) => {
  event.preventDefault();
  (openName()
    ? find("#subject")
    : (find("#rows").querySelector<HTMLElement>("a[tabindex='0']") ?? find("#results"))
  ).focus();
};
const [name = "", ...others] = shown.where;
find("#env").textContent = name;
find("#env").classList.toggle("deployed", shown.source !== "local");
find("#where").textContent = [...others, "read only", `times in ${timeZone} (${zoneOffset(Date.now())})`].join(" · ");
startKey(() => {
  say("");
  if (hasSearch) void search();
  closeMessage();
  show();
});
startMessageView();
startApiForm(show);
startSearch();
show();
setTimeout(keepReading, secondsBetweenReads * 1000);
