/** What an operator sees of an import: a line for each email, a bar on a terminal, and a sum at the end. */

import type { Imported } from "../mail/import-mail.ts";
import { showProgress } from "../progress.ts";
import { report, type Shell, summaryOf } from "./command.ts";

export type ImportTeller = {
  hear: (imported: Imported) => void;
  /** Takes the bar away. */
  end: () => void;
  /** Tells how many emails had which outcome. */
  sumUp: () => void;
};

/**
 * @param named the files that the operator has named, and wants to hear of one by one
 * @param totalBytes of all emails; 0 where that is not known
 */
export const tellImport = (
  shell: Shell,
  { json, account, named }: { json: true | undefined; account: string; named: string[] },
  totalBytes: number,
): ImportTeller => {
  const progress = showProgress(shell.terminal, "emails", totalBytes);
  const outcomes = { stored: 0, "there already": 0, failed: 0 };

  const hear = (imported: Imported): void => {
    const { source, bytes } = imported;
    progress.add(bytes);
    if ("error" in imported) {
      outcomes.failed++;
      progress.above(() => shell.fail(imported.error, source));
      return;
    }
    const { id, message_id, isNew } = imported;
    outcomes[isNew ? "stored" : "there already"]++;
    // Who watches thousands of emails go by wants to see how far they are.
    if (shell.terminal && !json && !named.includes(source)) return;
    const fields = { id, file: source, message_id, account_id: account, is_new: isNew };
    const words = `${id}  ${source}${isNew ? "" : "  (there already)"}`;
    progress.above(() => report(shell, json, fields, words));
  };

  const sumUp = (): void => {
    const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    if (!json && total !== 1) shell.print(summaryOf(outcomes, "emails"));
  };

  return { hear, end: progress.end, sumUp };
};
