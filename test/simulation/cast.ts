/** Who and what the month is about. Few of each, so that they meet. */
import { idOfExternal } from "../../lib/messages/external-id.ts";
import type { Random } from "../world/random.ts";

/** Texts that no log line may contain. */
export const private_ = { domain: "person.example", content: "Never log this" };

export const roles = ["Developer", "Analyst"];

export type CastMessage = {
  name: string;
  account: string;
  id: string;
  /** The raw email, or `null` if there is none. */
  raw: string | null;
  sender: string;
  recipient: string;
  direction: "incoming" | "outgoing";
  /** The addresses by which it is found, and with which it is erased. */
  people: string[];
  retain_until: string;
  isImported: boolean;
  isOfSes: boolean;
};

export type Cast = {
  accounts: string[];
  domain: string;
  emails: string[];
  keys: string[];
  messages: CastMessage[];
  /** When something happens. Between bursts, there is nothing but time. */
  bursts: number[];
};

const minute = 60_000;
const day = 24 * 60 * minute;

/** Some bursts are exactly a day after another, when a stored response expires. */
const newBursts = (random: Random, start: number): number[] => {
  const bursts = [start + day];
  for (let count = 2 + random.below(5); count > 0; count--) {
    const last = bursts.at(-1) ?? start;
    bursts.push(random.chance(0.4) ? last + day : last + (1 + random.below(6 * 24 * 60)) * minute);
  }
  return bursts;
};

/** Its id and its expiry follow from what SES reports. */
const newMessageOfSes = (account: string, sender: string, recipient: string, start: number): CastMessage => ({
  name: "s0",
  account,
  id: idOfExternal(account, `ses:s0:${recipient}`),
  ...{ raw: null, sender, recipient, direction: "outgoing", people: [recipient], isImported: false, isOfSes: true },
  retain_until: new Date(start + 90 * day).toISOString(),
});

export const newCast = (random: Random, start: number): Cast => {
  const accounts = [random.uuid(), random.uuid()];
  const emails = ["ada", "bo", "cy"].map((name) => `${name}@${private_.domain}`);
  const bursts = newBursts(random, start);
  const messages = ["m0", "m1", "m2", "l0", "l1"].map((name): CastMessage => {
    const isImported = name.startsWith("l");
    const [sender, recipient, copied] = [random.oneOf(emails), random.oneOf(emails), random.oneOf(emails)];
    const direction = random.chance(0.7) ? "outgoing" : "incoming";
    const hasCopy = isImported && random.chance(0.5);
    const isOther = hasCopy && copied !== sender && copied !== recipient;
    // More than 100,000 bytes that can't be compressed have several pages.
    const isLong = random.chance(0.03);
    const filling = isLong ? random.bytes(150_000).toString("base64") : random.bytes(20).toString("hex");
    const header = `From: ${sender}\r\nTo: ${recipient}\r\n${hasCopy ? `Cc: ${copied}\r\n` : ""}Subject: ${private_.content}\r\n`;
    const raw = `${header}\r\n${private_.content} ${filling}`;
    const isForgotten = random.chance(0.5);
    return {
      name,
      account: random.oneOf(accounts),
      id: random.uuid(),
      raw: isImported || random.chance(0.8) ? raw : null,
      sender,
      recipient,
      direction,
      people: [direction === "incoming" ? sender : recipient, ...(isOther ? [copied] : [])],
      retain_until: new Date(isForgotten ? random.oneOf(bursts.slice(1)) : start + 90 * day).toISOString(),
      isImported,
      isOfSes: false,
    };
  });
  const ofSes = newMessageOfSes(random.oneOf(accounts), random.oneOf(emails), random.oneOf(emails), start);
  messages.push(ofSes);
  return { accounts, domain: random.uuid(), emails, keys: ["k0", "k1", "k2"], messages, bursts };
};

/** One of each, so that they meet within milliseconds. */
export const focusOn = (random: Random, { accounts, emails, keys, messages, ...cast }: Cast): Cast => {
  const some = [true, false].map((isImported) =>
    random.oneOf(messages.filter((one) => one.isImported === isImported && !one.isOfSes)),
  );
  const ours = [...some, ...messages.filter(({ isOfSes }) => isOfSes)];
  const account = random.oneOf(ours).account;
  return { ...cast, accounts: [account], emails: [random.oneOf(emails)], keys: [random.oneOf(keys)], messages: ours };
};
