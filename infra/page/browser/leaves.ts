/** Shows the parts of an email one below the other, and tabs for those that are alternatives. */

import { visible } from "../../cli/visible.ts";
import { address } from "./copy.ts";
import { element, find } from "./dom.ts";
import { download, extensionOf } from "./files.ts";
import { htmlView, showLinkLabels, textView } from "./frame.ts";
import { type Found, startSlice } from "./harmless-html.ts";
import { sizeText } from "./times.ts";
import type { Leaf, View } from "./view.ts";

const maximumLeaves = 100;
const maximumTabs = 20;
const maximumAddresses = 200;

export const excerptOf = (content: string, length: number): string =>
  content.length < length ? `This is the first ${sizeText(content.length)} of ${sizeText(length)}. ` : "";

const pictureView = (index: number, view: View): HTMLElement => {
  const { filename = "", content_type = "" } = view.attachments[index] ?? {};
  const name = visible(filename) || `attachment ${index + 1}`;
  const why = `${name}: this browser can't show a picture of type ${content_type}, or it is too large.`;
  const instead = () => element("p", { className: "soft" }, why);
  const src = view.images[index];
  if (!src) return instead();
  const picture = element("img", { src, alt: name, onerror: () => picture.replaceWith(instead()) });
  return picture;
};

const leafView = async ({ part = 0, attachment }: Leaf, view: View, found: Found): Promise<HTMLElement> => {
  if (attachment !== undefined) return pictureView(attachment, view);
  const { content_type, content, length } = view.parts[part] ?? { content_type: "", content: "", length: 0 };
  const excerpt = excerptOf(content, length);
  if (excerpt) {
    found.notes.add(excerpt);
    found.buttons.push(download(`part-${part + 1}.${extensionOf(content_type)}`, "partFile", part));
  }
  return content_type === "text/html" ? htmlView(content, view, found) : textView(content);
};

const showAddresses = (id: string, text: string, addresses: ReadonlySet<string>): void => {
  find(id).hidden = addresses.size === 0;
  find(`${id} summary`).textContent = `${text}: ${addresses.size}`;
  const items = [...addresses].slice(0, maximumAddresses);
  find(`${id} ul`).replaceChildren(...items.map((url) => element("li", {}, address(url.slice(0, 2000)))));
};

let turn = 0;
/** Stops what is being shown: the reader has chosen something else. */
export const stopShowing = (): void => {
  turn++;
};

const showLeaves = async (leaves: readonly Leaf[], view: View): Promise<void> => {
  const own = ++turn;
  const found: Found = { remote: new Set(), links: new Set(), notes: new Set(), buttons: [] };
  const nodes: HTMLElement[] = [];
  startSlice();
  for (const leaf of leaves.slice(0, maximumLeaves)) {
    nodes.push(await leafView(leaf, view, found));
    if (own !== turn) return;
  }
  if (leaves.length > maximumLeaves) found.notes.add(`These are the first 100 of ${leaves.length} parts. `);
  if (leaves.length === 0) {
    found.notes.add(`This email has no text${view.attachments.length > 0 ? ", only attachments" : ""}.`);
  }
  find("#part").replaceChildren(...nodes);
  find<HTMLInputElement>("#labels").onchange = showLinkLabels;
  find("#note").replaceChildren(...found.notes, ...found.buttons);
  showAddresses("#links", "Links, which are off; a click copies the address", found.links);
  showAddresses("#remote", "Remote images and files, not loaded", found.remote);
};

const partNames: Record<string, string> = { "text/html": "HTML", "text/plain": "Text" };

export const showTabs = (view: View): Promise<void> => {
  const replaced = view.leaves.filter(({ isReplaced, part }) => isReplaced && part !== undefined);
  const shown = view.leaves.filter(({ isReplaced }) => !isReplaced);
  const others = replaced.slice(0, maximumTabs).map((leaf): [string, Leaf[]] => {
    const { content_type = "" } = view.parts[leaf.part ?? 0] ?? {};
    return [partNames[content_type] ?? content_type, [leaf]];
  });
  const tabs: [string, Leaf[]][] = [["Email", shown], ...others];
  find("#tabs").hidden = tabs.length === 1;
  find("#tabs").replaceChildren(
    ...tabs.map(([name, leaves], index) => {
      const onchange = () => showLeaves(leaves, view);
      const input = element("input", { type: "radio", name: "part", checked: index === 0, onchange });
      return element("label", {}, input, name);
    }),
  );
  return showLeaves(shown, view);
};
