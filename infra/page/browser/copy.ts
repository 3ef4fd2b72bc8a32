/** Copies text, and shows addresses that a click copies. */
import { inLink, visible } from "../../cli/visible.ts";
import { element, say, sayBriefly } from "./dom.ts";

export const copy = async (text: string): Promise<void> => {
  const isCopied = await navigator.clipboard.writeText(visible(text)).then(
    () => true,
    () => false,
  );
  if (isCopied) sayBriefly("Copied");
  else say("The browser doesn't let this page copy. Select the text instead.");
};

/** An address that a click copies: opening it could tell the sender that somebody reads the email. */
export const address = (text: string): HTMLElement =>
  element(
    "span",
    {
      className: "address",
      role: "button",
      tabIndex: 0,
      title: "Copy",
      onclick: () => copy(text),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault(); // Space would scroll the page.
        void copy(text);
      },
    },
    text,
  );

const email = "[\\w.+-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63})+";
const addresses = new RegExp(`\\bhttps?://${inLink}+(?<![.,;:!?')\\]])|${email}`, "gu");
const maximumNodes = 1000;

export const withAddresses = (text: string): (Node | string)[] => {
  const nodes: (Node | string)[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(addresses)) {
    if (nodes.length > maximumNodes) break;
    nodes.push(text.slice(end, index), address(found));
    end = index + found.length;
  }
  return [...nodes, text.slice(end)];
};
