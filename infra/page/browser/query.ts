/** Understands what somebody types into the search: an address, and behind it words that narrow the result. */

export type Query =
  | { kind: "nothing" }
  /** Words without an address: on this machine they narrow the list, elsewhere an address is missing. */
  | { kind: "words"; words: string[] }
  | { kind: "address"; address: string; words: string[] }
  /** An account's and a message's id, or the address of a message's page. */
  | { kind: "message"; account_id: string; id: string };

const uuid = "[\\da-f]{8}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{12}";
const messageName = new RegExp(`(${uuid})[/\\s#]+(?:messages/)?(${uuid})`, "i");
const addressText = /^(?:mailto:)?("(?:[^"\\]|\\.)*"@\S+|[^\s<>]+@[^\s<>]+)$/i;

/** Takes the address out of `Ada Lovelace <ada@example.com>`, too. */
const inBrackets = /^(?:[^<>@]*\s)?<([^\s<>]+@[^\s<>]+)>/;

const wordsIn = (text: string): string[] => text.toLowerCase().normalize("NFC").split(/\s+/).filter(Boolean);

export const queryOf = (text: string): Query => {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "nothing" };
  const named = messageName.exec(trimmed);
  if (named) return { kind: "message", account_id: String(named[1]).toLowerCase(), id: String(named[2]).toLowerCase() };
  const [whole = "", inside] = inBrackets.exec(trimmed) ?? [];
  if (inside) return { kind: "address", address: inside, words: wordsIn(trimmed.slice(whole.length)) };
  const tokens = trimmed.match(/"(?:[^"\\]|\\.)*"@\S+|\S+/g) ?? [];
  const index = tokens.findIndex((token) => addressText.test(token));
  const address = addressText.exec(tokens[index] ?? "")?.[1]?.replace(/[,;]+$/, "");
  if (!address) return { kind: "words", words: wordsIn(trimmed) };
  return { kind: "address", address, words: wordsIn(tokens.toSpliced(index, 1).join(" ")) };
};
