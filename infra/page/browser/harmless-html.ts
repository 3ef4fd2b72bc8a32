/** Turns the HTML of an email into a document that loads nothing, runs nothing and leads nowhere. */
import type { View } from "./view.ts";

/** Lets the browser draw if we have worked for a while. */
let sliceStart = 0;
export const startSlice = (): void => {
  sliceStart = performance.now();
};
const pause = async (): Promise<void> => {
  if (performance.now() - sliceStart < 25) return;
  await new Promise((resolve) => setTimeout(resolve));
  startSlice();
};

// An email can name a form field "attributes", or an image "querySelectorAll", and so hide the property of that name.
const getter = <Type extends Node, Name extends keyof Type & string>(type: { prototype: Type }, name: Name) => {
  const { get } = Object.getOwnPropertyDescriptor(type.prototype, name) ?? {};
  return (object: Type): Type[Name] => get?.call(object) as Type[Name];
};
const attributesOf = getter(Element, "attributes");
const nameOf = getter(Element, "localName");
const outerHtml = getter(Element, "outerHTML");
const textIn = getter(Node, "textContent");

const { querySelectorAll, getElementsByTagName, write: writeText, close } = Document.prototype;
const { removeAttribute, closest, remove, after } = Element.prototype;
export const findAll = (root: Document, selector: string): NodeListOf<HTMLElement> =>
  querySelectorAll.call(root, selector) as NodeListOf<HTMLElement>;

export const maximumElements = 20_000;
export class TooComplex extends Error {}

const formattingTags = /^(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)$/i;
const tagsAtOnce = 500;

/**
 * Parses HTML a few tags at a time. Each tag can repeat every formatting element that is still open: 200 open `<b id>`
 * around 2,000 `<p>` make 402,000 elements of 10 KB. So the more of them came before, the fewer tags we parse at once.
 */
const parseHtml = async (html: string): Promise<Document> => {
  const mail = document.implementation.createHTMLDocument("");
  mail.open();
  let [start, tags, formatting] = [0, 0, 1];
  const write = async (end: number): Promise<void> => {
    writeText.call(mail, html.slice(start, end));
    [start, tags] = [end, 0];
    if (getElementsByTagName.call(mail, "*").length > maximumElements) throw new TooComplex();
    await pause();
  };
  for (const { 1: name = "", index } of html.matchAll(/<\/?([a-z]+)/gi)) {
    if (formattingTags.test(name)) formatting++;
    if (++tags * formatting > maximumElements || tags > tagsAtOnce) await write(index);
  }
  await write(html.length);
  close.call(mail);
  return mail;
};

const frameStart = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'">
  <meta http-equiv="x-dns-prefetch-control" content="off"><style>
  :root { color-scheme: light; color: #111; font-family: sans-serif; }
  body { margin: 1rem; overflow-wrap: break-word; } img { max-width: 100%; }
  /* A picture that isn't loaded keeps its place. */
  img:not([src]) { display: inline-block; overflow: hidden; color: #59626f; font: 12px sans-serif; outline: 1px dashed #868e99; outline-offset: -1px; }
  .without-link-addresses .link-address-of-this-page { display: none; }
  .link-address-of-this-page { color: #59626f; background: #fff; font: 11px monospace; display: inline-block; max-width: 22em;
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; margin-inline-start: .4em; }
  @media print { .link-address-of-this-page { max-width: none; white-space: normal; overflow-wrap: anywhere; } }</style>`;

export type Found = { remote: Set<string>; links: Set<string>; notes: Set<string>; buttons: HTMLElement[] };

const maximumAddress = 2000;

const showLink = (mail: Document, node: Element, url: string): void => {
  const isItsText = (textIn(node) ?? "").trim().replace(/\/$/, "") === url.replace(/\/$/, "");
  if (isItsText) return;
  const shown = mail.createElement("span");
  shown.className = "link-address-of-this-page";
  shown.append(url.slice(0, maximumAddress));
  shown.title = url.slice(0, maximumAddress);
  after.call(closest.call(node, "svg") ?? node, shown);
};

const isLink = (node: Element, name: string): boolean =>
  /^a(rea)?$/i.test(nameOf(node)) && /^(xlink:)?href$/i.test(name);
const isRemote = (word: string): boolean => /^(https?:)?[/\\]{2}/i.test(word);

/** Removes what would load files or navigate. Collects the addresses of remote files and of links. */
const withoutRemote = async (html: string, { remote, links }: Found): Promise<string> => {
  const mail = await parseHtml(html);
  // An animation can set the href of an SVG link.
  const unwanted = "script, template, link, meta, base, iframe, frame, object, embed, animate, set";
  for (const node of findAll(mail, unwanted)) remove.call(node);
  for (const node of findAll(mail, "*")) {
    await pause();
    for (const { name, value } of [...attributesOf(node)]) {
      const leads = isLink(node, name);
      if (leads && !/^\s*#/.test(value)) {
        links.add(value.trim());
        showLink(mail, node, value.trim());
      }
      const found = leads ? [] : value.split(/[\s,]+/).filter(isRemote);
      const isText = /^(title|alt|style|cite|action)$/.test(name);
      if (!isText) for (const url of found) remote.add(url);
      // A link with a target could replace the email in the frame.
      if (/^(href|xlink:href|ping|target)$/i.test(name) || (found.length > 0 && !isText))
        removeAttribute.call(node, name);
    }
  }
  const [root] = findAll(mail, ":root");
  const source = root ? outerHtml(root) : "";
  const inStyles = /(?:url\(|@import)(?:\s|"|'|&quot;)*((?:https?:)?\/\/[^\s"')&;]+)/gi;
  for (const [, url = ""] of source.matchAll(inStyles)) remote.add(url);
  return source;
};

const maximumRounds = 5;

/** The document for the frame. A second parse of HTML may find new elements, so we repeat until nothing changes. */
export const frameDocument = async (source: string, view: View, found: Found): Promise<string> => {
  let html = source;
  let before: string | undefined;
  for (let rounds = 0; rounds < maximumRounds && html !== before; rounds++) {
    before = html;
    html = await withoutRemote(html, found);
  }
  if (html !== before) html = "This HTML changes each time it is parsed, so it is not shown.";
  const inline = (whole: string, id: string): string => {
    let name = id;
    try {
      name = decodeURIComponent(id);
    } catch {}
    const index = view.attachments.findIndex(({ content_id }) => content_id === name);
    return view.images[index] ?? whole;
  };
  return frameStart + html.replace(/\bcid:([^"'\s)<>&]+)/gi, inline);
};
