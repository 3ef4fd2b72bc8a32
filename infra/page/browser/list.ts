/** The list of this machine's messages. */
import type { Listed } from "../served.ts";
import { element, find, soft } from "./dom.ts";
import { forgetTypedKey, showMessage } from "./message-view.ts";
import { demo } from "./shown.ts";
import { shortTimes, timeOf } from "./times.ts";
import { statusClass } from "./tone.ts";

const maximumRows = 200;
const millisecondsBetweenReads = 3000;

let list: Listed[] = [];
let firstRead: Promise<void> | undefined;

export const listed = async (): Promise<readonly Listed[]> => {
  await firstRead;
  return list;
};

export const markCurrent = (): void => {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("#list a"))
    link.ariaCurrent = link.hash === location.hash ? "page" : null;
};

const rowView = ({ account_id, id, subject, recipient, status, created_at }: Listed): HTMLElement => {
  const href = `#${account_id}/${id}`;
  const onclick = () => {
    forgetTypedKey();
    if (location.hash === href) showMessage();
  };
  const chip = element("span", { className: statusClass(status) }, status);
  const title = element("b", {}, subject || "No subject");
  const link = element("a", { href, onclick }, title, soft(chip, ` · ${recipient}`), timeOf(created_at, shortTimes));
  return element("li", {}, link);
};

const showList = (): void => {
  const wanted = find<HTMLInputElement>("#filter").value.trim().toLowerCase();
  const found = list.filter(({ subject, sender, recipient, id, message_id }) =>
    [subject, sender, recipient, id, message_id].join("\n").toLowerCase().includes(wanted),
  );
  find("#list ul").replaceChildren(...found.slice(0, maximumRows).map(rowView));
  const more = found.length > maximumRows ? `${found.length - maximumRows} more: filter them. ` : "";
  find("#list p").textContent = found.length === 0 ? "No message matches." : more;
  markCurrent();
};

let listText = "";
/** Imported messages appear without a reload. A large table is read less often, because the server scans all of it. */
const refreshList = async (): Promise<void> => {
  const start = performance.now();
  const read = () =>
    fetch("/messages/list").then(
      (response) => response.text(),
      () => "",
    );
  const text = document.hidden ? "" : await read();
  if (text.startsWith("[") && text !== listText) {
    [listText, list] = [text, JSON.parse(text)];
    showList();
  }
  setTimeout(refreshList, Math.max(millisecondsBetweenReads, (performance.now() - start) * 30));
};

export const startList = (): void => {
  find("#list").hidden = !demo;
  find("#filter").oninput = showList;
  if (demo) firstRead = refreshList();
};
