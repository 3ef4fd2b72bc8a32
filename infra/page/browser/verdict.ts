/** One line that says what happened to a message. */
import type { Message } from "./request.ts";
import { when } from "./times.ts";
import { toneOf } from "./tone.ts";

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const counted = (count: number, verb: string): string => `${verb} ${count === 1 ? "once" : `${count} times`}`;

const openings = ({ open_count, click_count }: Message): string[] => [
  ...(open_count > 0 ? [counted(open_count, "opened")] : []),
  ...(click_count > 0 ? [counted(click_count, "clicked")] : []),
];

/** Returns the parts of the line; some may be empty. */
export const verdictOf = (message: Message): string[] => {
  const { status, delivery_attempts, bounce_classification = "", delivered_at, direction } = message;
  const last = delivery_attempts.at(-1);
  const opens = openings(message);
  if (message.is_bounce_notification) return ["Reports what became of another message", bounce_classification];
  if (toneOf(status) === "wait" && last) {
    const count = delivery_attempts.filter((attempt) => attempt.status === last.status).length;
    return [`${capital(counted(count, status))}, last ${when(last.time)}: ${last.log || "without a reason"}`];
  }
  if (toneOf(status) === "bad") {
    return [`${capital(status)} ${last ? when(last.time) : ""}`, bounce_classification, last?.log ?? ""];
  }
  if (toneOf(status) === "good") {
    const time = delivered_at ?? last?.time;
    const attempts = delivery_attempts.length > 1 ? ` after ${delivery_attempts.length} attempts` : "";
    return [`${capital(status)}${attempts}`, time ? when(time) : "", ...opens];
  }
  if (last) return [`${capital(status)}, last attempt ${when(last.time)}`, last.log, ...opens];
  const missing = direction === "outgoing" ? "no delivery attempt is recorded" : "";
  return [capital(status), missing, bounce_classification, ...opens];
};
