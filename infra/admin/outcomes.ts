/** Counts emails or events by outcome, such as stored, repeated or failed, and shows the progress. */
import { showProgress } from "../cli/progress.ts";
import type { Shell } from "./command.ts";

export const countOutcomes = <Name extends string>(
  { terminal }: Shell,
  noun: string,
  names: readonly Name[],
  totalBytes: number,
) => {
  const progress = showProgress(terminal, noun, totalBytes);
  const counts = new Map<Name, number>();
  return {
    add: (name: Name, bytes: number, print?: () => void): void => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      progress.add(bytes, print);
    },
    end: progress.end,
    /** "3 stored, 1 failed" */
    summary: (): string => {
      const counted = names.filter((name) => counts.has(name));
      const texts = counted.map((name) => `${counts.get(name)?.toLocaleString("en")} ${name}`);
      return texts.length > 0 ? texts.join(", ") : `no ${noun} found`;
    },
  };
};
