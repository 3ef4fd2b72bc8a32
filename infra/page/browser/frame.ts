/** Shows the HTML of an email in a frame, or its text if it has too many elements. */
import { withAddresses } from "./copy.ts";
import { element, find } from "./dom.ts";
import { type Found, findAll, frameDocument, maximumElements, TooComplex } from "./harmless-html.ts";
import type { View } from "./view.ts";

const maximumHeight = 60_000;
const smallestScale = 0.25;

/** The addresses of links can be switched off, because they change how the email looks. */
export const showLinkLabels = (): void => {
  const { checked } = find<HTMLInputElement>("#labels");
  for (const { contentDocument } of document.querySelectorAll("iframe")) {
    const [root] = contentDocument ? findAll(contentDocument, ":root") : [];
    root?.classList.toggle("without-link-addresses", !checked);
  }
  fitAllFrames();
};

/** Makes a frame as high as its email, and scales down an email that is wider than the screen. */
const fitFrame = (frame: HTMLIFrameElement): void => {
  const [root] = frame.contentDocument ? findAll(frame.contentDocument, ":root") : [];
  const outer = frame.parentElement;
  if (!root || !outer) return;
  const available = outer.clientWidth;
  Object.assign(frame.style, { width: "100%", height: "1px", transform: "" });
  const width = Math.max(root.scrollWidth, available);
  const scale = Math.max(available / width, smallestScale);
  frame.style.width = `${width}px`;
  const height = Math.min(Math.max(root.scrollHeight, 20), maximumHeight);
  Object.assign(frame.style, { height: `${height}px`, transform: scale < 1 ? `scale(${scale})` : "" });
  outer.style.height = `${Math.ceil(height * scale)}px`;
};

export const fitAllFrames = (): void => {
  for (const frame of document.querySelectorAll("iframe")) fitFrame(frame);
};

export const textView = (content: string): HTMLElement =>
  element(
    "pre",
    { tabIndex: 0, role: "region", ariaLabel: "Text of the email", dir: "auto" },
    ...withAddresses(content),
  );

const textOfHtml = (html: string): string =>
  html
    .replace(/<(style|script)\b[\s\S]*?<\/\1\s*>/gi, "")
    .replace(/<(br|p|div|tr|li|h\d)\b/gi, "\n<$1")
    .replace(/<[^>]*>/g, "")
    .replace(/&nbsp;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");

export const htmlView = async (content: string, view: View, found: Found): Promise<HTMLElement> => {
  try {
    const srcdoc = await frameDocument(content, view, found);
    found.notes.add("Scripts, forms and links are off. Nothing is loaded from other servers. ");
    const frame = element("iframe", {
      srcdoc,
      title: "The email as HTML",
      referrerPolicy: "no-referrer" as const,
      scrolling: "no",
      onload: showLinkLabels,
    });
    // Without allow-scripts, nothing in the frame runs. allow-same-origin lets this page measure the email.
    frame.sandbox.add("allow-same-origin");
    return element("div", { className: "frame" }, frame);
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    const limit = maximumElements.toLocaleString("en");
    found.notes.add(`This HTML has more than ${limit} elements, which would freeze the page. So you see its text. `);
    return textView(textOfHtml(content));
  }
};
