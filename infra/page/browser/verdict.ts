/** Says what became of a message, and why: in a line for a row, and at length above the message. */
import type { DeskMessage } from "../served.ts";
import { type Explained, explain } from "./enhanced-code.ts";
import { type Tone, toneOf } from "./outcome.ts";
import { durationText, shortTime } from "./times.ts";

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const counted = (count: number, verb: string): string =>
  `${verb} ${count === 1 ? "once" : count === 2 ? "twice" : `${count} times`}`;

/** Mail programs and scanners load pictures and follow links, too, so no count proves that a person read the email. */
export const openings = ({ open_count, click_count }: DeskMessage): string[] => {
  const found = [
    ...(open_count > 0 ? [counted(open_count, "opened")] : []),
    ...(click_count > 0 ? [counted(click_count, "clicked")] : []),
  ];
  return found.length > 0 ? [`${found.join(", ")}, perhaps by machines`] : [];
};

type Attempt = DeskMessage["delivery_attempts"][number];

/** The attempt that brought the status: the last one, unless the status came by itself. */
const deciding = ({ delivery_attempts, status }: DeskMessage): Attempt | undefined => {
  const last = delivery_attempts.at(-1);
  return last && (last.status === status || toneOf(last.status) === toneOf(status)) ? last : undefined;
};

const triesText = (count: number): string => (count === 1 ? "1 try" : `${count} tries`);

const spanOf = ({ delivery_attempts }: DeskMessage, until?: string | null): number => {
  const [first] = delivery_attempts;
  const end = until ?? delivery_attempts.at(-1)?.time;
  return first && end ? Date.parse(end) - Date.parse(first.time) : 0;
};

/** The moment of the newest thing that happened. An import creates a message long after that. */
export const lastEventOf = (message: DeskMessage): string => {
  const { status_time, sent_at, delivered_at, delivery_attempts, created_at } = message;
  const times = [status_time, sent_at, delivered_at, delivery_attempts.at(-1)?.time];
  return (
    times
      .filter((time) => typeof time === "string")
      .toSorted()
      .at(-1) ?? created_at
  );
};

/** The newest event first. */
export const byLastEvent = (a: DeskMessage, b: DeskMessage): number => lastEventOf(b).localeCompare(lastEventOf(a));

const explanationOf = (message: DeskMessage): Explained | null => {
  const words = [deciding(message)?.log, message.bounce_classification];
  return words.map((text) => (text ? explain(text, message.recipient) : null)).find(Boolean) ?? null;
};

const noAttempt = "no delivery attempt is recorded for this status";

/** The reason in one line, for a row. */
export const reasonOf = (message: DeskMessage, now: number): string => {
  const { status, num_attempts, direction, bounce_classification, delivered_at } = message;
  if (message.is_bounce_notification) {
    return ["reports what became of another message", bounce_classification].filter(Boolean).join(" · ");
  }
  if (direction === "incoming" && num_attempts === 0) return `from ${message.sender} to ${message.recipient}`;
  const attempt = deciding(message);
  const [first] = message.delivery_attempts;
  const tone = toneOf(status);
  if (tone === "wait" && first && attempt) {
    const since = num_attempts > 1 ? ` since ${shortTime(first.time, now)}` : "";
    return [`${triesText(num_attempts)}${since}`, attempt.log].filter(Boolean).join(" · ");
  }
  if (tone === "good") {
    const late = spanOf(message, delivered_at ?? attempt?.time);
    const after = num_attempts > 1 ? `after ${triesText(num_attempts)}, ${durationText(late)} late` : "";
    const opens = openings(message);
    const none = opens.length === 0 ? "never opened (or pictures off)" : "";
    return [after, attempt?.log, ...opens, none].filter(Boolean).join(" · ");
  }
  const known = explanationOf(message);
  const why = known ? `${known.short} (${known.code})` : bounce_classification;
  const none = attempt ? "" : tone === "bad" ? noAttempt : "no delivery attempt is recorded";
  return [why, attempt?.log, none, ...openings(message)].filter(Boolean).join(" · ");
};

export type Verdict = {
  tone: Tone;
  headline: string;
  /** What it means, in a sentence or two. */
  plain: string;
  /** The server's own words. */
  words: string;
};

const howOften = (message: DeskMessage, until?: string | null): string => {
  const { num_attempts } = message;
  if (num_attempts === 0) return "";
  if (num_attempts === 1) return ", at the first try";
  return `, after ${triesText(num_attempts)} in ${durationText(spanOf(message, until))}`;
};

const plainOf = (message: DeskMessage, known: Explained | null, tone: Tone): string => {
  const { status, bounce_classification } = message;
  if (known) return `${known.meaning} (${known.code} means so). ${known.advice}`;
  if (tone === "bad" && /complain|abuse/i.test(status)) {
    return "The recipient, or their provider, marked the email as unwanted. Don't send again before you have asked.";
  }
  if (bounce_classification) return `Classified as ${bounce_classification}.`;
  return tone === "bad" && !deciding(message) ? `${capital(noAttempt)}.` : "";
};

/** What happened, when, after how many tries, and what it means. */
export const verdictOf = (message: DeskMessage, now: number): Verdict => {
  const { status, delivery_attempts, delivered_at, direction, num_attempts, status_time } = message;
  const tone = toneOf(status);
  const attempt = deciding(message);
  const [first] = delivery_attempts;
  const on = (iso: string | null | undefined): string => (iso ? ` on ${shortTime(iso, now)}` : "");
  if (message.is_bounce_notification) {
    const plain = message.bounce_classification ? `Classified as ${message.bounce_classification}.` : "";
    return { tone: "", headline: "Reports what became of another message", plain, words: "" };
  }
  const words = attempt?.log ?? "";
  if (direction === "incoming" && num_attempts === 0) {
    return { tone, headline: `${capital(status)}${on(message.sent_at ?? message.created_at)}`, plain: "", words };
  }
  if (tone === "wait" && first && attempt) {
    const since = num_attempts > 1 ? ` since ${shortTime(first.time, now)}, last` : "";
    const headline = `${capital(status)}: ${triesText(num_attempts)}${since}${on(attempt.time)}`;
    return { tone, headline, plain: plainOf(message, explanationOf(message), tone), words };
  }
  if (tone === "good") {
    const time = delivered_at ?? attempt?.time ?? status_time;
    const plain = openings(message).map((text) => `${capital(text)}.`);
    return {
      tone,
      headline: `${capital(status)}${on(time)}${howOften(message, time)}`,
      plain: plain[0] ?? "Never opened (or pictures off).",
      words,
    };
  }
  const time = attempt?.time ?? status_time ?? message.sent_at;
  const known = explanationOf(message);
  const none = attempt || tone === "bad" ? "" : "No delivery attempt is recorded.";
  const plain = [plainOf(message, known, tone), none].filter(Boolean).join(" ");
  return { tone, headline: `${capital(status)}${on(time)}${attempt ? howOften(message, time) : ""}`, plain, words };
};
