/** Counts outcomes of a long command, and shows the progress on a terminal. */
import { showProgress } from "../progress.ts";
import type { Shell } from "./command.ts";

/**
 * @param noun the things that the command counts, such as "emails"
 * @param names all outcomes, in the order of the summary
 * @param totalBytes of all things; 0 if the total is unknown
 */
export const countOutcomes = <Name extends string>(
  { terminal }: Shell,
  noun: string,
  names: readonly Name[],
  totalBytes: number,
) => {
  const progress = showProgress(terminal, noun, totalBytes);
  const counts = new Map<Name, number>();
  return {
    /** Counts one thing of so many bytes, and prints it above the progress. */
    add: (name: Name, bytes: number, print: () => void): void => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      progress.add(bytes);
      progress.above(print);
    },
    /** Takes the progress off the terminal. */
    end: progress.end,
    /** Returns how many things had which outcome, such as "3 stored, 1 failed". */
    summary: (): string => {
      const counted = names.filter((name) => counts.has(name));
      const texts = counted.map((name) => `${counts.get(name)?.toLocaleString("en")} ${name}`);
      return texts.length > 0 ? texts.join(", ") : `no ${noun} found`;
    },
  };
};
