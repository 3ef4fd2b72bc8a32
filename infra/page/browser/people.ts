/** From, To and the other people of a message. */
import { element, find, type Term, terms } from "./dom.ts";
import type { Message } from "./request.ts";
import { timeOf } from "./times.ts";

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

export const peopleTerms = (headers: Headers): Term[] =>
  ["From", "Reply-To", "To", "Cc", "Date"]
    .map((name) => [name, headerOf(headers, name.toLowerCase())] as const)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => [name, name === "Date" ? text : people(text)]);

export const showPeople = ({ sender, recipient, created_at }: Message, headers: Headers = {}): void => {
  const rows = peopleTerms(headers);
  const has = (names: string[], wanted: string): boolean =>
    names.some((name) => headerOf(headers, name).toLowerCase().includes(wanted.toLowerCase()));
  const isSame = has(["from"], sender) && has(["to", "cc"], recipient);
  if (rows.length === 0) rows.push(["From", sender], ["To", recipient], ["Created", timeOf(created_at)]);
  else if (!isSame) rows.push(["Envelope", `${sender} → ${recipient}`]);
  find("#people").replaceChildren(...terms(rows));
};
