import { beforeEach, expect, test, vi } from "vitest";
import { showProgress } from "../../../infra/cli/progress.ts";

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
