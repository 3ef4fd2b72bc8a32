/** Shows the message that the address names: #ACCOUNT_ID/MESSAGE_ID. */

import { visible } from "../../cli/visible.ts";
import { ask, isCurrent, startWorker } from "./ask.ts";
import { showContent } from "./attachments.ts";
import { copy } from "./copy.ts";
import { button, element, find, setState, soft, type Term, terms } from "./dom.ts";
import { download, fileName } from "./files.ts";
import { excerptOf, stopShowing } from "./leaves.ts";
import { showPeople } from "./people.ts";
import { showReport, showVerdict } from "./report-view.ts";
import { type Message, type MessageRequest, requestMessage } from "./request.ts";
import { api, demo } from "./shown.ts";
import { showTimeline } from "./timeline.ts";
import { statusClass, toneOf } from "./tone.ts";
import { verdictOf } from "./verdict.ts";
import { emptyView } from "./view.ts";

const form = find<HTMLFormElement>("form");
const input = (name: string): HTMLInputElement => form.elements.namedItem(name) as HTMLInputElement;
const [accountInput, messageInput, keyInput] = [input("account"), input("message"), input("key")];

const pathOf = (account: string, id: string): string =>
  `v2/accounts/${encodeURIComponent(account)}/messages/${encodeURIComponent(id)}`;
const requestOf = (account: string, id: string): MessageRequest => ({
  url: `${location.origin}/${pathOf(account, id)}`,
  key: keyInput.value,
});

const curlOf = ({ account_id, id }: Message): string => {
  const key = demo?.account_id === account_id ? demo.api_key : "$API_KEY";
  const base = (api || location.origin).replace(/\/$/, "");
  return `curl -s "${base}/${pathOf(account_id, id)}" -H "Authorization: Bearer ${key}"`;
};

const showHead = (message: Message): void => {
  const { subject, status, tags, id, account_id, message_id, direction } = message;
  const title = visible(subject) || "No subject";
  Object.assign(find("#subject"), { textContent: title, title: visible(subject) });
  document.title = `${title} · Messages`;
  const chip = element("span", { className: statusClass(status) }, status);
  find("#chips").replaceChildren(chip, soft(direction), ...tags.map((tag) => soft(tag)));
  showVerdict(verdictOf(message), toneOf(status));
  showPeople(message);
  showTimeline(message);
  const copies = {
    "message id": id,
    "account id": account_id,
    "Message-ID": message_id,
    "this page's address": location.href,
    "curl command": curlOf(message),
  };
  find("#copy").replaceChildren(
    ...Object.entries(copies).map(([name, text]) => button(`Copy ${name}`, () => copy(text))),
  );
  const scalars = Object.entries(message).filter(([, value]) => value === null || typeof value !== "object");
  find("#fields dl").replaceChildren(...terms(scalars.map(([name, value]): Term => [name, String(value)])));
};

/** Keys by account; they exist only in this page. `typed` is what the form sent: the next message forgets a wrong key. */
const keys = new Map(demo ? [[demo.account_id, demo.api_key]] : []);
let typed: { hash: string; key: string } | undefined;
export const forgetTypedKey = (): void => {
  typed = undefined;
};

const fail = (sentence: string): void => {
  find("article").hidden = true;
  find<HTMLDetailsElement>("#other").open = true;
  document.title = "Messages";
  setState(sentence, "status bad");
};

const showWholeContent = async (message: Message, content: ReturnType<typeof ask<"content">>): Promise<void> => {
  const started = startedWorker;
  const loaded = await content.catch((error: Error) => ({ missing: error.message }));
  if (!started || !isCurrent(started)) return;
  if ("view" in loaded) {
    showPeople(message, loaded.view.headers);
    await showReport(loaded.view, message);
    await showContent(loaded.view);
    return;
  }
  find("#note").textContent = loaded.missing;
  if (loaded.missing.includes("raw email")) find<HTMLDetailsElement>("#raw").open = true;
};

let startedWorker: Worker | undefined;

export const showMessage = async (): Promise<void> => {
  const { hash } = location;
  stopShowing();
  const started = startWorker();
  startedWorker = started;
  const [, account = "", id = ""] = /^#([^/]+)\/([^/]+)$/.exec(hash) ?? [];
  if (!id) return fail("This address names no message. Behind the # belong an account id, a slash and a message id.");
  const key = typed?.hash === hash ? typed.key : (keys.get(account.toLowerCase()) ?? typed?.key ?? "");
  [accountInput.value, messageInput.value, keyInput.value] = [account, id, key];
  if (key === "") return fail("Enter a key of this account to see the message.");
  const request = requestOf(account, id);
  const structureUrl = `${location.origin}/messages/structure?${new URLSearchParams({ account, message: id })}`;
  const content = ask("content", { request, structureUrl });
  content.catch(() => {}); // shown later, if the message itself can be read
  setState("Loading the message");
  const message = await requestMessage(request).catch((error: Error) => error);
  if (!isCurrent(started)) return; // the reader has opened another message
  if (message instanceof Error) return fail(message.message);
  if (!keys.has(account.toLowerCase())) keys.set(account.toLowerCase(), key);
  find("article").hidden = false;
  showHead(message);
  find("#report").hidden = true;
  find<HTMLDetailsElement>("#raw").open = false;
  find("#raw div").replaceChildren();
  await showContent(emptyView);
  find("#note").textContent = "Loading the content";
  await showWholeContent(message, content);
  if (isCurrent(started)) setState("");
};

const noRaw = "This message has no raw email: its content was removed, or never stored.";

const showRaw = async (): Promise<void> => {
  const raw = find<HTMLDetailsElement>("#raw");
  const place = find("#raw div");
  if (!raw.open || place.firstChild) return;
  place.replaceChildren("Loading the raw email");
  const request = requestOf(accountInput.value, messageInput.value);
  const { content, length } = (await ask("raw", { request }).catch(({ message }: Error) => ({
    content: message,
    length: 0,
  }))) ?? {
    content: noRaw,
    length: 0,
  };
  place.replaceChildren(element("pre", { tabIndex: 0, role: "region", ariaLabel: "Raw email" }, content));
  const name = `${fileName(find("#subject").textContent ?? "") || "email"}.eml`;
  if (length > 0) place.append(soft(excerptOf(content, length), download(name, "rawFile", 0)));
};

export const listenToForm = (): void => {
  find("#raw").addEventListener("toggle", () => showRaw());
  form.onsubmit = (event) => {
    event.preventDefault();
    const hash = `#${accountInput.value.trim()}/${messageInput.value.trim()}`;
    typed = { hash, key: keyInput.value.trim() };
    if (location.hash === hash) showMessage();
    else location.hash = hash;
  };
};
