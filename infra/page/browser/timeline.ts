/** What happened to a message, the newest first. */
import type { DeskMessage } from "../served.ts";
import { element, soft, timeOf } from "./dom.ts";
import { statusClass } from "./outcome.ts";
import { type Entry, entriesOf } from "./timeline-entries.ts";
import { counted } from "./verdict.ts";

const maximumRun = 250;

const runView = (run: NonNullable<Entry["run"]>): HTMLElement => {
  const summary = element("summary", { className: "soft" }, `All ${run.length}`);
  const all = element("details", { className: "soft" }, summary);
  all.ontoggle = () => {
    if (all.children.length > 1) return;
    const items = run
      .slice(0, maximumRun)
      .map(({ time, log }) => element("li", {}, timeOf(time), element("code", {}, log)));
    all.append(element("ul", {}, ...items));
  };
  return all;
};

const entryView = ({ status, title = status, time, until, log, run, note }: Entry): HTMLElement =>
  element(
    "li",
    { className: statusClass(status), title },
    element("b", {}, title),
    timeOf(time),
    ...(until ? [soft(" to "), timeOf(until)] : []),
    ...(note ? [soft(` ${note}`)] : []),
    ...(log ? [element("code", {}, log)] : []),
    ...(run ? [runView(run)] : []),
  );

const countView = (verb: string, count: number): HTMLElement[] =>
  count > 0
    ? [
        element(
          "li",
          { className: statusClass(verb) },
          element("b", {}, counted(count, verb)),
          soft("without times, perhaps by machines"),
        ),
      ]
    : [];

export const timelineOf = (message: DeskMessage): HTMLElement[] => [
  ...countView("clicked", message.click_count),
  ...countView("opened", message.open_count),
  ...entriesOf(message).map(entryView),
];
