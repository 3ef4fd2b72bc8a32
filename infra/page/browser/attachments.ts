/** The attachments of an email: a list, and one of them in place of the email. */

import { visible } from "../../cli/visible.ts";
import { ask } from "./ask.ts";
import { button, element, find, say, soft, type Term, terms } from "./dom.ts";
import { download, extensionOf, fileName } from "./files.ts";
import { showTabs } from "./leaves.ts";
import { headerOf, peopleTerms } from "./people.ts";
import { sizeText } from "./times.ts";
import type { AttachmentView, View } from "./view.ts";

const maximumHeaders = 1000;
const maximumAttachments = 500;
/** From so many attachments on, each has one line. */
const manyAttachments = 7;

const canOpen = (type: string): boolean => /^(message\/|text\/)|^application\/(ics|json|xml)$/.test(type);
const complain = (error: Error): void => say(error.message, "bad");

/** What the browser's Back button leaves: each opened attachment is an entry of the history. */
let depth = 0;
/** Shows what an opened attachment stands in front of. */
let backs: (() => unknown)[] = [];

/** Closes attachments until as many are open as the history says. */
export const closeTo = async (wanted: number): Promise<void> => {
  while (depth > wanted) {
    depth--;
    await backs.pop()?.();
  }
};

export const openDepth = (): number => depth;

const forgetOpened = (): void => {
  depth = 0;
  backs = [];
};

/** Shows an attachment in place of the email, with a way back. */
const showNested = (view: View, title: string, onback: () => unknown, rows: Term[] = []): void => {
  depth++;
  backs.push(onback);
  history.pushState({ depth }, "");
  const back = button("Back to the email", () => history.back());
  const list = rows.length > 0 ? [element("dl", {}, ...terms(rows))] : [];
  find("#inside").hidden = false;
  find("#inside").replaceChildren(back, element("b", {}, title), ...list);
  void showTabs(view);
  back.focus();
};

const showInside = async (view: View, index: number, key: string): Promise<void> => {
  const show = () => showEmail(view, key);
  if (view.attachments[index]?.content_type !== "message/rfc822") {
    const part = await ask("text", { index });
    const leaves = [{ isReplaced: false, part: 0 }];
    return showNested({ ...view, parts: [part], leaves }, "Attachment", show);
  }
  const inner = await ask("open", { index, key });
  void showEmail(inner, key);
  const title = headerOf(inner.headers, "subject") || "No subject";
  const onback = async () => {
    await ask("back");
    await show();
  };
  showNested(inner, title, onback, peopleTerms(inner.headers));
  showIsInner(true);
};

/** The raw email and the fields are those of the message, so they aren't shown beside an email inside of it. */
const showIsInner = (isInner: boolean): void => {
  find("#headers summary").textContent = isInner ? "Headers of the attached email" : "Headers";
  find("#raw").hidden = isInner;
  find("#fields").hidden = isInner;
};

const attachmentView = (view: View, index: number, isMany: boolean, key: string): HTMLElement => {
  const { filename, content_type, bytes } = view.attachments[index] as AttachmentView;
  const name = fileName(filename) || `attachment-${index + 1}.${extensionOf(content_type)}`;
  const size = isMany ? sizeText(bytes) : `${content_type}, ${sizeText(bytes)}`;
  const text = element("div", { title: visible(name) }, element("b", {}, name), soft(size));
  const onopen = () => void showInside(view, index, key).catch(complain);
  const open = canOpen(content_type) ? [button("Open", onopen, { ariaLabel: `Open ${name}` })] : [];
  return element("li", {}, text, ...open, download(name, "attachmentFile", index));
};

/** @param key lets the server parse an email that is attached to this one */
export const showContent = (view: View, key: string): Promise<void> => {
  forgetOpened();
  return showEmail(view, key);
};

/** Shows an email: its text, its headers and its attachments. */
const showEmail = (view: View, key: string): Promise<void> => {
  const { attachments, headers } = view;
  find("#inside").hidden = true;
  showIsInner(false);
  const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value): Term => [name, value]));
  const more: Term[] = lines.length > maximumHeaders ? [["…", "The raw email has all headers."]] : [];
  find("#headers dl").replaceChildren(...terms([...lines.slice(0, maximumHeaders), ...more]));
  const isMany = attachments.length >= manyAttachments;
  const total = attachments.reduce((sum, { bytes }) => sum + bytes, 0);
  find("#attachments").hidden = attachments.length === 0;
  find("#attachments").className = isMany ? "card many" : "card";
  find("#attachments h2").textContent = `Attachments · ${attachments.length} · ${sizeText(total)}`;
  const shown = attachments.slice(0, maximumAttachments);
  find("#attachments ul").replaceChildren(...shown.map((_, index) => attachmentView(view, index, isMany, key)));
  return showTabs(view);
};
