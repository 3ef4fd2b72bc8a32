/** The attachments of an email: a list, and one of them in place of the email. */

import { visible } from "../../cli/visible.ts";
import { ask } from "./ask.ts";
import { button, element, find, setState, soft, type Term, terms } from "./dom.ts";
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
const report = (error: Error): void => setState(error.message, "status bad");

/** Shows an attachment in place of the email, with a way back. */
const showNested = (view: View, title: string, onBack: () => void, rows: Term[] = []): void => {
  const back = button("Back to the email", onBack);
  const list = rows.length > 0 ? [element("dl", {}, ...terms(rows))] : [];
  find("#inside").hidden = false;
  find("#inside").replaceChildren(back, element("b", {}, title), ...list);
  showTabs(view);
  back.focus();
};

const showInside = async (view: View, index: number): Promise<void> => {
  if (view.attachments[index]?.content_type !== "message/rfc822") {
    const part = await ask("text", { index });
    const leaves = [{ isReplaced: false, part: 0 }];
    return showNested({ ...view, parts: [part], leaves }, "Attachment", () => showContent(view));
  }
  const inner = await ask("open", { index, url: `${location.origin}/messages/attached` });
  showContent(inner);
  const title = headerOf(inner.headers, "subject") || "No subject";
  const onBack = () => ask("back").then(showContent, report);
  showNested(inner, title, onBack, peopleTerms(inner.headers));
};

const attachmentView = (view: View, index: number, isMany: boolean): HTMLElement => {
  const { filename, content_type, bytes } = view.attachments[index] as AttachmentView;
  const name = fileName(filename) || `attachment-${index + 1}.${extensionOf(content_type)}`;
  const size = isMany ? sizeText(bytes) : `${content_type}, ${sizeText(bytes)}`;
  const text = element("div", { title: visible(name) }, element("b", {}, name), soft(size));
  const onopen = () => void showInside(view, index).catch(report);
  const open = canOpen(content_type) ? [button("Open", onopen, { ariaLabel: `Open ${name}` })] : [];
  return element("li", {}, text, ...open, download(name, "attachmentFile", index));
};

/** Shows an email: its text, its headers and its attachments. */
export const showContent = (view: View): Promise<void> => {
  const { attachments, headers } = view;
  find("#inside").hidden = true;
  const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value): Term => [name, value]));
  const more: Term[] = lines.length > maximumHeaders ? [["…", "The raw email has all headers."]] : [];
  find("#headers dl").replaceChildren(...terms([...lines.slice(0, maximumHeaders), ...more]));
  const isMany = attachments.length >= manyAttachments;
  const total = attachments.reduce((sum, { bytes }) => sum + bytes, 0);
  find("#attachments").hidden = attachments.length === 0;
  find("#attachments").className = isMany ? "card many" : "card";
  find("#attachments h2").textContent = `Attachments · ${attachments.length} · ${sizeText(total)}`;
  const shown = attachments.slice(0, maximumAttachments);
  find("#attachments ul").replaceChildren(...shown.map((_, index) => attachmentView(view, index, isMany)));
  return showTabs(view);
};
