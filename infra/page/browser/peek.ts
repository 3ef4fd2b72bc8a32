/** On a wide screen, the chosen message beside the list: what became of it, and why. */
import type { DeskMessage } from "../served.ts";
import { usualActions } from "./actions.ts";
import { element, find, say, terms } from "./dom.ts";
import { keyFor } from "./key.ts";
import { statusClass } from "./outcome.ts";
import { factsOf } from "./people.ts";
import { requestHead } from "./request.ts";
import { nameOf } from "./row-view.ts";
import { timelineOf } from "./timeline.ts";
import { verdictOf } from "./verdict.ts";

const peekView = (message: DeskMessage): HTMLElement[] => {
  const now = Date.now();
  const { tone, headline, plain, words } = verdictOf(message, now);
  const open = element("a", { className: "main", href: `#${nameOf(message)}` }, "Open the message");
  return [
    element("span", { className: statusClass(message.status), title: message.status }, message.status),
    element("h2", { dir: "auto" }, message.subject || "No subject"),
    element("p", { className: `verdict ${tone}` }, headline),
    ...(plain ? [element("p", {}, plain)] : []),
    ...(words ? [element("p", { className: "words" }, words)] : []),
    element("dl", {}, ...terms([["From", message.sender], ["To", message.recipient], ...factsOf(message, now)])),
    element("div", { className: "acts" }, open, ...usualActions(message)),
    element("h3", {}, "Timeline, newest first"),
    element("ol", { className: "timeline" }, ...timelineOf(message)),
  ];
};

let turn = 0;
let shownText = "";

/** A row has only some of the attempts; if there are more, we read them. */
export const showPeek = async (message: DeskMessage | undefined): Promise<void> => {
  const own = ++turn;
  const peek = find("#peek");
  const text = JSON.stringify(message ?? null);
  if (text === shownText) return;
  shownText = text;
  peek.hidden = !message;
  peek.replaceChildren(...(message ? peekView(message) : []));
  if (!message || message.num_attempts <= message.delivery_attempts.length) return;
  const { account_id: account, id } = message;
  const whole = await requestHead({ account, id, key: keyFor(account) }).catch((error: Error) => error);
  if (own !== turn) return; // the reader has chosen another one
  if (whole instanceof Error) return say(whole.message, "bad");
  peek.replaceChildren(...peekView(whole));
};
