/** The rows of the search, under the headings of their days. */
import type { DeskMessage } from "../served.ts";
import { element } from "./dom.ts";
import { accountLabel } from "./narrow.ts";
import { statusClass, toneOf } from "./outcome.ts";
import { clockTime, dayHeading } from "./times.ts";
import { lastEventOf, reasonOf } from "./verdict.ts";

export const nameOf = ({ account_id, id }: DeskMessage): string => `${account_id}/${id}`;

const rowView = (message: DeskMessage, isChosen: boolean, now: number): HTMLElement => {
  const { status, subject, delivery_attempts, direction } = message;
  const time = lastEventOf(message);
  const reasonTone = direction === "outgoing" && toneOf(status) !== "good" ? toneOf(status) : "";
  const link = element(
    "a",
    { href: `#${nameOf(message)}`, tabIndex: isChosen ? 0 : -1, ...(isChosen && { ariaCurrent: "true" }) },
    element("time", { dateTime: time, title: time }, clockTime(time)),
    element("span", { className: statusClass(status), title: status }, status),
    element(
      "span",
      { className: "what" },
      element("b", { dir: "auto" }, subject || "No subject"),
      element(
        "span",
        { className: reasonTone || "soft", title: delivery_attempts.at(-1)?.log ?? "" },
        reasonOf(message, now),
      ),
    ),
    element("span", { className: "acct", title: message.account_id }, accountLabel(message)),
  );
  return element("li", {}, link);
};

/**
 * @param messages in their order
 * @param chosen the name of the row that the keyboard reaches first
 */
export const rowsView = (messages: readonly DeskMessage[], chosen: string, now: number): HTMLElement[] => {
  const days = Map.groupBy(messages, (message) => dayHeading(lastEventOf(message), now));
  return [...days].flatMap(([day, ofDay]) => [
    element("h2", {}, day),
    element("ul", {}, ...ofDay.map((message) => rowView(message, nameOf(message) === chosen, now))),
  ]);
};
