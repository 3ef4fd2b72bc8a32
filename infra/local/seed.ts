/** `--seed` adds your own emails to the demonstration account. */
import { stat } from "node:fs/promises";
import type { Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";
import { showProgress } from "../cli/progress.ts";
import { UserError } from "../cli/user-error.ts";
import { visible } from "../cli/visible.ts";
import { findMail } from "../mail/find-mail.ts";
import { importMail } from "../mail/import-mail.ts";

export type Seeded = {
  /** The ids of all emails, including those that an earlier `npm start` has stored. */
  ids: string[];
  failures: string[];
};

/** Stores the emails as incoming messages for 30 days. Throws a UserError if the path doesn't exist. */
export const seed = async (
  table: Table,
  path: string,
  { account_id, domain_id }: { account_id: string; domain_id: string },
  now: number,
): Promise<Seeded> => {
  await stat(path).catch(() => {
    throw new UserError(`--seed takes a folder with emails, but ${path} does not exist`, 2);
  });
  const files = await findMail([path]);
  const bytes = files.reduce((total, file) => total + file.bytes, 0);
  const progress = showProgress(process.stderr.isTTY ? process.stderr : undefined, "emails", bytes);
  const seeded: Seeded = { ids: [], failures: [] };
  const fields = {
    account_id,
    domain_id,
    direction: "incoming",
    status: "received",
    retain_until: new Date(now + 30 * dayMilliseconds),
  } as const;
  try {
    await importMail(table, files, fields, now, (imported) => {
      progress.add(imported.bytes);
      const { source } = imported;
      if ("skipped" in imported) seeded.failures.push(visible(`${source}: ${imported.skipped}`));
      else if ("error" in imported) seeded.failures.push(visible(`${source}: ${imported.error.message}`));
      else if (imported.outcome !== "deleted") seeded.ids.push(imported.id);
      else seeded.failures.push(visible(`${source}: deleted before, so it is not imported again`));
    });
  } finally {
    progress.end();
  }
  return seeded;
};
