/** `--seed`: your own mail in the demonstration account. */
import { stat } from "node:fs/promises";
import type { Table } from "../../lib/table/table.ts";
import { findMail } from "../mail/find-mail.ts";
import { importMail } from "../mail/import-mail.ts";
import { showProgress } from "../progress.ts";
import { UserError } from "../user-error.ts";

const retention = 30 * 24 * 60 * 60 * 1000;

export type Seeded = {
  /** The ids of the messages: new ones, and those that an earlier start has stored. */
  ids: string[];
  /** Why an email could not be stored, in a line for each. */
  failures: string[];
};

/**
 * Stores every email of a folder (of emails, Maildirs and mboxes) or file as an incoming message, until 30 days
 * from now. An email that is there already stays as it is.
 *
 * @throws UserError when there is nothing at the path
 */
export const seed = async (
  table: Table,
  path: string,
  { account_id, domain_id }: { account_id: string; domain_id: string },
  now: number,
): Promise<Seeded> => {
  await stat(path).catch(() => {
    throw new UserError(`--seed takes a folder with emails: there is nothing at ${path}`);
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
    retain_until: new Date(now + retention),
  } as const;
  try {
    await importMail(table, files, fields, now, (imported) => {
      progress.add(imported.bytes);
      if ("error" in imported) seeded.failures.push(`${imported.source}: ${imported.error.message}`);
      else seeded.ids.push(imported.id);
    });
  } finally {
    progress.end();
  }
  return seeded;
};
