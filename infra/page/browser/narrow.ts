/** Narrows the rows that were read: by words, by account and by outcome. Nothing is read again for it. */
import type { DeskMessage } from "../served.ts";
import { type Group, groupOf } from "./outcome.ts";

const textOf = (message: DeskMessage): string =>
  [
    message.subject,
    message.status,
    message.account_id,
    message.id,
    message.message_id,
    message.sender,
    message.recipient,
    message.bounce_classification ?? "",
    ...message.tags,
    ...message.delivery_attempts.map(({ log }) => log),
  ]
    .join("\n")
    .normalize("NFC")
    .toLowerCase();

/** A message is found if it contains each of the words, wherever. */
export const withWords = (messages: readonly DeskMessage[], words: readonly string[]): DeskMessage[] =>
  messages.filter((message) => {
    const text = textOf(message);
    return words.every((word) => text.includes(word));
  });

export const countsOf = (messages: readonly DeskMessage[]): Map<Group, number> => {
  const counts = new Map<Group, number>();
  for (const message of messages) counts.set(groupOf(message), (counts.get(groupOf(message)) ?? 0) + 1);
  return counts;
};

/** The domain of the account's side, which says more than an account's id. */
export const ownDomain = ({ direction, sender, recipient }: DeskMessage): string => {
  const own = direction === "incoming" ? recipient : sender;
  return own.slice(own.lastIndexOf("@") + 1);
};

export const accountLabel = (message: DeskMessage): string =>
  `${ownDomain(message)} · ${message.account_id.slice(0, 4)}`;
