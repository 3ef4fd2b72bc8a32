/** The page /messages shows what became of a message, and the email as its reader saw it. */
import { find, setState } from "./dom.ts";
import { fitAllFrames } from "./frame.ts";
import { markCurrent, startList } from "./list.ts";
import { listenToForm, showMessage } from "./message-view.ts";
import { api, demo } from "./shown.ts";
import { timeZone } from "./times.ts";

const setPrinting = (isPrinting: boolean): void => {
  document.documentElement.classList.toggle("printing", isPrinting);
  fitAllFrames();
};

const show = (): void => {
  markCurrent();
  showMessage();
};

window.onbeforeprint = () => setPrinting(true);
window.onafterprint = () => setPrinting(false);
window.onresize = fitAllFrames;
window.onhashchange = () => {
  scrollTo(0, 0); // On a phone, the list is below the message.
  show();
};
find("#zone").textContent = `${api ? `${api} · ` : ""}Times in ${timeZone}`;
listenToForm();
startList();
if (location.hash) show();
else if (demo) location.replace(`#${demo.account_id}/${demo.messages.welcome}`);
else {
  find<HTMLDetailsElement>("#other").open = true;
  setState("Enter the ids of a message and a key of its account. The key stays in this page.");
}
