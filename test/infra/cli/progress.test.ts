import { beforeEach, expect, test, vi } from "vitest";
import { showDuring, showProgress } from "../../../infra/cli/progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

const terminalOf = (columns: number) => {
  const drawn: string[] = [];
  const write = (text: string) => drawn.push(text.replace("\r\u001b[2K", ""));
  return { drawn, terminal: { write, columns } };
};

test("Draws how much is done, how fast, and how long the rest takes", () => {
  const { drawn, terminal } = terminalOf(80);
  const progress = showProgress(terminal, "emails", 1000);

  vi.advanceTimersByTime(2000);
  progress.add(250);
  vi.advanceTimersByTime(57_500);
  progress.add(250);

  expect(drawn).toEqual([
    "███████░░░░░░░░░░░░░░░░░░░░░░░  25%  1 emails  1/s  0:06 left",
    "███████████████░░░░░░░░░░░░░░░  50%  2 emails  0/s  1:00 left",
  ]);
});

test("The last item ends at 100%, also if a size was unknown, and large counts have commas", () => {
  const { drawn, terminal } = terminalOf(80);
  const progress = showProgress(terminal, "emails", 1000);

  for (let count = 0; count < 1999; count++) progress.add(0);
  vi.advanceTimersByTime(125_000);
  progress.add(996);
  vi.advanceTimersByTime(1000);
  progress.add(1000);

  expect(drawn.slice(1)).toEqual([
    "█████████████████████████████░  99%  2,000 emails  16/s  0:01 left",
    "██████████████████████████████ 100%  2,001 emails  16/s  0:00 left",
  ]);
});

test("Before anything is done, nobody knows how long it takes", () => {
  const { drawn, terminal } = terminalOf(80);
  const progress = showProgress(terminal, "emails", 1000);

  vi.advanceTimersByTime(1000);
  progress.add(0);

  expect(drawn).toEqual(["░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0%  1 emails  1/s"]);
});

test("What is printed meanwhile appears above the line, which is drawn again at once", () => {
  const { drawn, terminal } = terminalOf(80);
  const progress = showProgress(terminal, "emails", 0);
  vi.advanceTimersByTime(1000);
  progress.add(1);

  progress.add(1, () => drawn.push("printed"));
  progress.end();

  expect(drawn).toEqual(["1 emails  1/s", "", "printed", "2 emails  2/s", ""]);
});

test("A line is shown during the work, cut to the terminal, and erased also if the work fails", async () => {
  const { drawn, terminal } = terminalOf(8);

  const result = await showDuring(terminal, "waiting 3 s", async () => drawn.push("work"));
  await expect(showDuring(terminal, "waiting", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");

  expect(result).toBe(2);
  expect(drawn).toEqual(["waiting", "work", "", "waiting", ""]);
});

test("Draws ten times a second at most, and fits into the terminal", () => {
  const { drawn, terminal } = terminalOf(20);
  const progress = showProgress(terminal, "emails", 1000);

  for (let count = 0; count < 1000; count++) {
    vi.advanceTimersByTime(1);
    progress.add(1);
  }

  expect(drawn.length).toBeLessThanOrEqual(11);
  expect(Math.max(...drawn.map(({ length }) => length))).toBe(19);
});

test("Without a total it counts, and without a terminal it draws nothing", () => {
  const { drawn, terminal } = terminalOf(80);
  const progress = showProgress(terminal, "emails", 0);
  const unseen = showProgress(undefined, "emails", 10);

  vi.advanceTimersByTime(2000);
  for (const one of [progress, unseen]) one.add(10);

  expect(drawn).toEqual(["1 emails  1/s"]);
});
