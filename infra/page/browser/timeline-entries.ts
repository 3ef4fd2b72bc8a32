/** The entries of a message's timeline: each attempt, and each status that came without one. */
import type { DeskMessage } from "../served.ts";

type Attempt = DeskMessage["delivery_attempts"][number];
export type Entry = {
  status: string;
  time: string;
  title?: string;
  log?: string;
  until?: string;
  /** The attempts that this entry stands for. */
  run?: Attempt[];
  note?: string;
};

/** A run of as many equal attempts becomes one entry. */
const foldedFrom = 3;
/** Of so many attempts, those with the same status count as equal, whatever their logs. */
const manyAttempts = 20;

const foldRun = (run: Attempt[]): Entry[] => {
  const [first, last] = [run[0], run.at(-1)];
  if (run.length < foldedFrom || !first || !last) return run;
  const title = `${run.length} × ${first.status}`;
  return [{ time: first.time, status: first.status, title, log: last.log, until: last.time, run }];
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

/** The current status, if no attempt and no other entry shows it. */
const ownStatus = (message: DeskMessage, others: readonly Entry[]): Entry[] => {
  const { status, status_time, updated_at, delivery_attempts } = message;
  const isShown = [...others, ...delivery_attempts].some(
    (entry) =>
      entry.status === status && (status_time === null || entry.time.slice(0, 19) === status_time.slice(0, 19)),
  );
  if (isShown) return [];
  const note = "without a delivery attempt";
  return status_time
    ? [{ status, time: status_time, note }]
    : [{ status, time: updated_at, note: `at the latest, ${note}` }];
};

/** The newest entry first. */
export const entriesOf = (message: DeskMessage): Entry[] => {
  const { created_at, sent_at, delivered_at, delivery_attempts, direction } = message;
  const others: Entry[] = [];
  for (const [status, time] of [
    ["sent", sent_at],
    ["delivered", delivered_at],
  ] as const) {
    if (time && !delivery_attempts.some((attempt) => attempt.time === time)) others.push({ status, time });
  }
  if (direction === "outgoing") others.push(...ownStatus(message, others));
  const [first] = [...others, ...delivery_attempts].map(({ time }) => time).toSorted();
  // An import creates the message long after its events. Then "created" would read as if it were one of them.
  if (!first || created_at <= first) others.unshift({ status: "created", time: created_at });
  return [...others, ...foldedAttempts(delivery_attempts)].toSorted((a, b) => b.time.localeCompare(a.time));
};
