/** Copies text, and shows addresses that a click copies. */
import { visible } from "../../cli/visible.ts";
import { element, say, sayBriefly } from "./dom.ts";
import { splitAddresses } from "./split-addresses.ts";

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

export const withAddresses = (text: string): (Node | string)[] =>
  splitAddresses(text).map((part, index) => (index % 2 === 1 ? address(part) : part));
