/** From, To and the other people of a message. */
import type { DeskMessage } from "../served.ts";
import { element, find, soft, type Term, terms, timeOf } from "./dom.ts";
import { fromNow, fullTime } from "./times.ts";

type Headers = Record<string, string[]>;

const maximumCharacters = 50_000;
const maximumPeople = 1000;

export const headerOf = (headers: Headers, wanted: string): string =>
  Object.entries(headers)
    .find(([name]) => name.toLowerCase() === wanted)?.[1]
    .join(", ")
    .slice(0, maximumCharacters) ?? "";

/** Splits a list of addresses at its commas, but not within quotes. */
const listed = (text: string): string[] => {
  const all: string[] = [];
  let one = "";
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === "," && !isQuoted) {
      all.push(one);
      one = "";
    } else one += character;
  }
  return [...all, one].map((text) => text.trim()).filter(Boolean);
};

const people = (text: string): Node | string => {
  const [first = "", ...others] = listed(text);
  if (others.length === 0) return first;
  const summary = element("summary", { className: "soft" }, `+${others.length}`);
  const more = element("details", {}, summary, others.slice(0, maximumPeople).join(", "));
  return element("span", {}, `${first} `, more);
};

/** The Date header has the sender's zone; beside it stands the reader's. */
const dateOf = (text: string): Node | string => {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  return element("span", {}, timeOf(new Date(time).toISOString()), " ", soft(`(${text})`));
};

export const peopleTerms = (headers: Headers): Term[] =>
  ["From", "Reply-To", "To", "Cc", "Date"]
    .map((name) => [name, headerOf(headers, name.toLowerCase())] as const)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => [name, name === "Date" ? dateOf(text) : people(text)]);

/** The facts about a message that don't come from its email. */
export const factsOf = ({ sent_at, retain_until, account_id }: DeskMessage, now: number): Term[] => [
  ...(sent_at ? [["Sent", timeOf(sent_at)] as const] : []),
  ["Deleted on", `${fullTime(retain_until)} (${fromNow(retain_until, now)})`],
  ["Account", account_id],
];

export const showPeople = (message: DeskMessage, headers: Headers = {}): void => {
  const { sender, recipient } = message;
  const rows = peopleTerms(headers);
  const has = (names: string[], wanted: string): boolean =>
    names.some((name) => headerOf(headers, name).toLowerCase().includes(wanted.toLowerCase()));
  const isSame = has(["from"], sender) && has(["to", "cc"], recipient);
  if (rows.length === 0) rows.push(["From", sender], ["To", recipient]);
  else if (!isSame) rows.push(["Envelope", `${sender} → ${recipient}`]);
  find("#people").replaceChildren(...terms([...rows, ...factsOf(message, Date.now())]));
};
