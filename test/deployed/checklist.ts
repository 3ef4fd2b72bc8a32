/** A list of checks, run one after another, and what each came to. */

export type Outcome = "holds" | "FAILS" | "skipped" | "known difference";
export type Result = { group: string; check: string; outcome: Outcome; note: string };

/** `run` throws when the service does not keep the promise; a string that it returns is a note on the outcome. */
export type Check = { promise: string; run: () => Promise<unknown> };
export type Group = { name: string; checks: Check[] };

/** What ends a check without a fault of the service. */
class Ended extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome, reason: string) {
    super(reason);
    this.outcome = outcome;
  }
}

/** Ends a check that can't be made here. */
export const skip = (reason: string): never => {
  throw new Ended("skipped", reason);
};

/** Ends a check at a difference to the contract that the documentation names. */
export const knownDifference = (what: string): never => {
  throw new Ended("known difference", what);
};

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";

const runCheck = async (group: string, { promise, run }: Check): Promise<Result> => {
  const result = (outcome: Outcome, note: string): Result => ({ group, check: promise, outcome, note });
  try {
    const note = await run();
    return result("holds", typeof note === "string" ? note : "");
  } catch (error) {
    return result(error instanceof Ended ? error.outcome : "FAILS", firstLine(error));
  }
};

/** @param report is told of each result as it is known */
export const runChecks = async (groups: Group[], report: (result: Result) => void): Promise<Result[]> => {
  const results: Result[] = [];
  for (const { name, checks } of groups) {
    for (const check of checks) {
      const result = await runCheck(name, check);
      report(result);
      results.push(result);
    }
  }
  return results;
};

const escaped = (text: string): string => text.replaceAll("|", "\\|");

/** A table in Markdown, and below it how many there are of each outcome. */
export const toTable = (results: Result[]): string => {
  const rows = results.map(({ group, check, outcome, note }) => [group, check, outcome, note].map(escaped));
  const lines = [["", "", "", ""], ["---", "---", "---", "---"], ...rows].map(
    (cells) => `| ${cells.join(" | ")} |`,
  );
  const counts = Map.groupBy(results, ({ outcome }) => outcome);
  return `${lines.join("\n")}\n\n${[...counts].map(([outcome, of]) => `${of.length} ${outcome}`).join(", ")}`;
};
