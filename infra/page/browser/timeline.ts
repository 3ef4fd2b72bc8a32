/** What happened to a message, in order. */
import { element, find, soft } from "./dom.ts";
import type { Message } from "./request.ts";
import { timeOf } from "./times.ts";
import { statusClass } from "./tone.ts";
import { counted } from "./verdict.ts";

type Attempt = Message["delivery_attempts"][number];
type Entry = { status: string; time: string; title?: string; log?: string; until?: string; all?: HTMLElement };

/** A run of as many equal attempts becomes one entry. */
const foldedFrom = 3;
const maximumRun = 2000;
/** Of so many attempts, those with the same status count as equal, whatever their logs. */
const manyAttempts = 20;

const foldRun = (run: Attempt[]): Entry[] => {
  const [first, last] = [run[0], run.at(-1)];
  if (run.length < foldedFrom || !first || !last) return run;
  const all = element("details", { className: "soft" }, element("summary", { className: "soft" }, `All ${run.length}`));
  all.ontoggle = () => {
    if (all.children.length > 1) return;
    const items = run
      .slice(0, maximumRun)
      .map(({ time, log }) => element("li", {}, timeOf(time), element("code", {}, log)));
    all.append(element("ul", {}, ...items));
  };
  const title = `${run.length} × ${first.status}`;
  return [{ time: first.time, status: first.status, title, log: last.log, until: last.time, all }];
};

const foldedAttempts = (attempts: readonly Attempt[]): Entry[] => {
  const runs: Attempt[][] = [];
  for (const attempt of attempts) {
    const run = runs.at(-1);
    const isEqual =
      run?.[0]?.status === attempt.status && (attempts.length > manyAttempts || run[0].log === attempt.log);
    if (run && isEqual) run.push(attempt);
    else runs.push([attempt]);
  }
  return runs.flatMap(foldRun);
};

const entriesOf = ({ created_at, sent_at, delivered_at, delivery_attempts }: Message): Entry[] => {
  const others: Entry[] = [];
  for (const [status, time] of [
    ["sent", sent_at],
    ["delivered", delivered_at],
  ] as const) {
    if (time !== null && !delivery_attempts.some((attempt) => attempt.time === time)) others.push({ status, time });
  }
  const [first] = [...others, ...delivery_attempts].map(({ time }) => time).toSorted();
  // An import creates the message long after its events. Then "created" would read as if it were one of them.
  if (!first || created_at <= first) others.unshift({ status: "created", time: created_at });
  return [...others, ...foldedAttempts(delivery_attempts)].toSorted((a, b) => a.time.localeCompare(b.time));
};

const entryView = ({ status, title = status, time, until, log, all }: Entry): HTMLElement =>
  element(
    "li",
    { className: statusClass(status) },
    element("b", {}, title),
    timeOf(time),
    ...(until ? [soft("to "), timeOf(until)] : []),
    ...(log ? [element("code", {}, log)] : []),
    ...(all ? [all] : []),
  );

export const showTimeline = (message: Message): void => {
  const counts = (
    [
      ["opened", message.open_count],
      ["clicked", message.click_count],
    ] as const
  )
    .filter(([, count]) => count > 0)
    .map(([name, count]) =>
      element(
        "li",
        { className: statusClass(name) },
        element("b", {}, counted(count, name)),
        soft("counted without times"),
      ),
    );
  find("#timeline").replaceChildren(...entriesOf(message).map(entryView), ...counts);
};
