/** Shows the message that the address names: #ACCOUNT_ID/MESSAGE_ID. */
import { visible } from "../../cli/visible.ts";
import type { DeskMessage } from "../served.ts";
import { moreActions, usualActions } from "./actions.ts";
import { ask, isCurrent, startWorker } from "./ask.ts";
import { showContent } from "./attachments.ts";
import { button, element, find, say, soft, type Term, terms } from "./dom.ts";
import { keyFor } from "./key.ts";
import { excerptOf, stopShowing } from "./leaves.ts";
import { statusClass } from "./outcome.ts";
import { showPeople } from "./people.ts";
import { showReport, verdictOfReport } from "./report-view.ts";
import { type MessageRequest, type RequestError, requestHead } from "./request.ts";
import { shown } from "./shown.ts";
import { stateOf } from "./state.ts";
import { timelineOf } from "./timeline.ts";
import { fullTime, timeZone } from "./times.ts";
import { verdictOf } from "./verdict.ts";
import { emptyView, type View } from "./view.ts";

type Open = { name: string; request: MessageRequest; worker: Worker; message?: DeskMessage; view?: View };
let open: Open | undefined;

export const openName = (): string => open?.name ?? "";

const showVerdict = (message: DeskMessage, view?: View): void => {
  const { tone, headline, plain, words } = (view && verdictOfReport(view)) ?? verdictOf(message, Date.now());
  Object.assign(find("#verdict"), { textContent: visible(headline), className: tone });
  find("#plain").textContent = visible(plain);
  Object.assign(find("#words"), { textContent: visible(words), className: "words" });
};

/** Everything but the email. It is shown again when something has happened to the message. */
const showHead = (message: DeskMessage, view?: View): void => {
  const { subject, status, tags, direction } = message;
  const title = visible(subject) || "No subject";
  Object.assign(find("#subject"), { textContent: title, title });
  document.title = `${title} · Desk`;
  const chip = element("span", { className: statusClass(status), title: status }, status);
  find("#chips").replaceChildren(chip, soft(direction), ...tags.map((tag) => soft(tag)));
  showVerdict(message, view);
  showPeople(message, view?.headers);
  find("#timeline").replaceChildren(...timelineOf(message));
  const scalars = Object.entries(message).filter(([, value]) => value === null || typeof value !== "object");
  find("#fields dl").replaceChildren(...terms(scalars.map(([name, value]): Term => [name, String(value)])));
  const ids = `Message ${message.id}, account ${message.account_id}, domain ${message.domain_id}, Message-ID ${visible(message.message_id)}`;
  find("#printed").textContent =
    `${ids}. Times in ${timeZone}. Read on ${fullTime(Date.now())} from ${shown.where.join(", ")}.`;
};

const showActions = (message: DeskMessage): void =>
  find("#copy").replaceChildren(...usualActions(message), ...moreActions(message));

const showLoaded = async (own: Open, message: DeskMessage, content: ReturnType<typeof ask<"content">>) => {
  const loaded = await content.catch((error: Error) => error);
  if (own !== open) return;
  if (loaded instanceof Error || !("view" in loaded)) {
    const sentence = loaded instanceof Error ? loaded.message : loaded.missing;
    find("#note").replaceChildren(sentence, ...(loaded instanceof Error ? [button("Try again", showAgain)] : []));
    if (sentence.includes("raw email")) find<HTMLDetailsElement>("#raw").open = true;
    return;
  }
  own.view = loaded.view;
  showHead(own.message ?? message, loaded.view);
  showReport(loaded.view, message);
  await showContent(loaded.view, own.request.key);
};

const showAgain = (): void => {
  const { name } = open ?? {};
  open = undefined;
  if (name) void showMessage();
};

const fail = (error: RequestError): void => {
  document.title = "Desk";
  say(error.message, "bad", ...(error.isTemporary ? [button("Try again", showAgain)] : []));
};

export const closeMessage = (): void => {
  if (open) startWorker(); // ends the load of what was open
  open = undefined;
  stopShowing();
  find("#message").hidden = true;
};

/** Nothing of the message before stays under the new address. */
const clear = (): void => {
  find("#message").hidden = true;
  find("#report").hidden = true;
  find<HTMLDetailsElement>("#raw").open = false;
  find("#raw div").replaceChildren();
  document.title = "Desk";
};

export const showMessage = async (): Promise<void> => {
  const { open: named } = stateOf(location);
  if (!named) return;
  const name = `${named.account}/${named.id}`;
  if (name === open?.name) return;
  stopShowing();
  clear();
  const request = { ...named, key: keyFor(named.account) };
  const own: Open = { name, request, worker: startWorker() };
  open = own;
  const content = ask("content", { message: request });
  content.catch(() => {}); // shown later, if the message itself can be read
  say("Loading the message");
  const message = await requestHead(request).catch((error: RequestError) => error);
  if (own !== open || !isCurrent(own.worker)) return; // the reader has opened another message
  if (message instanceof Error) return fail(message);
  own.message = message;
  find("#message").hidden = false;
  showHead(message);
  showActions(message);
  find("#subject").focus({ preventScroll: true });
  await showContent(emptyView, request.key);
  find("#note").textContent = "Loading the content";
  await showLoaded(own, message, content);
  if (own === open) say("");
};

/** Shows what has happened to the open message meanwhile. */
export const refreshMessage = async (): Promise<void> => {
  const own = open;
  if (!own?.message) return;
  const message = await requestHead(own.request).catch(() => null);
  if (!message || own !== open || JSON.stringify(message) === JSON.stringify(own.message)) return;
  own.message = message;
  showHead(message, own.view);
};

const noRaw = "This message has no raw email: its content was removed, or never stored.";

const showRaw = async (): Promise<void> => {
  const raw = find<HTMLDetailsElement>("#raw");
  const place = find("#raw div");
  if (!raw.open || place.firstChild || !open) return;
  place.replaceChildren("Loading the raw email");
  const read = await ask("raw", { message: open.request }).catch(({ message }: Error) => ({
    content: message,
    length: 0,
  }));
  const { content, length } = read ?? { content: noRaw, length: 0 };
  place.replaceChildren(element("pre", { tabIndex: 0, role: "region", ariaLabel: "Raw email" }, content));
  if (length > content.length) place.append(soft(excerptOf(content, length), "Save .eml has all of it."));
};

export const startMessageView = (): void => {
  find("#raw").addEventListener("toggle", () => showRaw());
};
