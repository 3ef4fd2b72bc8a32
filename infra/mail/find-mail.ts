/** Finds email files, mboxes and Maildirs in the paths that an operator gives. */
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";

export type MailFile = { path: string; bytes: number; open: () => AsyncIterable<Buffer> };

/** A file without an extension is an mbox, or an email in an MH folder. */
const extensions = new Set(["", ".eml", ".mbox", ".mbx"]);

const isHidden = (name: string): boolean => name.startsWith(".");

async function* filesIn(folder: string, isMailbox = false): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const isMaildir = ["cur", "new"].every((name) => entries.some((entry) => entry.name === name));
  for (const entry of entries) {
    const { name } = entry;
    const path = join(folder, name);
    if (entry.isDirectory()) {
      // A Maildir stores emails in the folders cur and new. The folder tmp of a Maildir contains incomplete emails.
      const hasEmails = isMaildir && (name === "cur" || name === "new");
      // The hidden subfolders of a Maildir, such as .Sent, are also Maildirs.
      if (hasEmails || isHidden(name) === isMaildir) yield* filesIn(path, hasEmails);
    } else if (entry.isFile() && !isHidden(name) && !isMaildir) {
      if (isMailbox || extensions.has(extname(name).toLowerCase())) yield path;
    }
  }
}

const fileAt = (path: string, bytes: number): MailFile => ({
  path,
  bytes,
  open: () => createReadStream(path, { highWaterMark: 1024 * 1024 }),
});

/** The result includes paths that do not exist, so that the import reports an error for each missing file. */
export const findMail = async (
  paths: string[],
  standardInput: AsyncIterable<Buffer> = process.stdin,
): Promise<MailFile[]> => {
  const files: MailFile[] = [];
  for (const path of paths) {
    if (path === "-") {
      files.push({ path, bytes: 0, open: () => standardInput });
      continue;
    }
    const found = await stat(path).catch(() => null);
    if (!found?.isDirectory()) files.push(fileAt(path, found?.size ?? 0));
    else for await (const file of filesIn(path)) files.push(fileAt(file, (await stat(file)).size));
  }
  return files;
};
