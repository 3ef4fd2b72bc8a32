/** What somebody does with a message: buttons of the message's view and of the preview. */
import type { DeskMessage } from "../served.ts";
import { copy } from "./copy.ts";
import { button } from "./dom.ts";
import { curlOf, forEngineering } from "./engineering.ts";
import { saveEml } from "./files.ts";
import { keyFor } from "./key.ts";

const linkOf = ({ account_id, id }: DeskMessage): string =>
  `${location.origin}${location.pathname}#${account_id}/${id}`;

export const usualActions = (message: DeskMessage): HTMLElement[] => {
  const { account_id: account, id, subject } = message;
  return [
    button("Copy link", () => copy(linkOf(message))),
    button("Copy for engineering", async () => copy(await forEngineering(message))),
    button("Save .eml", () => saveEml({ account, id, key: keyFor(account) }, subject)),
  ];
};

export const moreActions = (message: DeskMessage): HTMLElement[] => [
  button("Copy Message-ID", () => copy(message.message_id)),
  button("Copy curl command", async () => copy(await curlOf(message))),
  button("Print", () => print()),
];
