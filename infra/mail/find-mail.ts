/** Finds email files, mboxes and Maildirs in the paths that an operator gives. */
import type { Dirent } from "node:fs";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { UserError } from "../cli/user-error.ts";

/** An unreadable file makes `open` throw; the import then reports the file and goes on with the next. */
export type MailFile = { path: string; bytes: number; open: () => AsyncIterable<Buffer> };

/** A file without an extension is an mbox, or an email in an MH folder. */
const extensions = new Set(["", ".eml", ".mbox", ".mbx"]);

const isHidden = (name: string): boolean => name.startsWith(".");

/** Node.js replaces invalid UTF-8 in a file name by U+FFFD, and then can't find the file. */
const isUnreadable = (name: string): boolean => name.includes("\ufffd");

const unreadable = (path: string, error: unknown): MailFile => ({
  path,
  bytes: 0,
  open: () => {
    throw error;
  },
});

const fileAt = async (path: string): Promise<MailFile> => ({
  path,
  bytes: (await stat(path).catch(() => null))?.size ?? 0,
  open: () => createReadStream(path, { highWaterMark: 1024 * 1024 }),
});

/** A mail program may move a Maildir's file from `new` to `cur` after we have listed the file. */
const listedFile = async (path: string): Promise<MailFile> => {
  const file = await fileAt(path);
  const open = async function* () {
    try {
      yield* file.open();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      throw new UserError("the file was moved or deleted meanwhile. Run the same import again");
    }
  };
  return { ...file, open };
};

async function* filesIn(folder: string, isMailbox = false): AsyncGenerator<MailFile> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return yield unreadable(folder, error);
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const isMaildir = ["cur", "new"].every((name) => entries.some((entry) => entry.name === name));
  for (const entry of entries) {
    const { name } = entry;
    const path = join(folder, name);
    // The folder `tmp` of a Maildir contains incomplete emails. Hidden subfolders of a Maildir, such as `.Sent`, are
    // themselves Maildirs.
    const hasEmails = isMaildir && (name === "cur" || name === "new");
    const isWanted = entry.isDirectory()
      ? hasEmails || isHidden(name) === isMaildir
      : entry.isFile() && !isHidden(name) && !isMaildir && (isMailbox || extensions.has(extname(name).toLowerCase()));
    if (!isWanted) continue;
    if (isUnreadable(name)) yield unreadable(path, new UserError("its name is not UTF-8. Rename it"));
    else if (entry.isDirectory()) yield* filesIn(path, hasEmails);
    else yield await listedFile(path);
  }
}

/** The result includes paths that don't exist, so that the import reports an error for each of them. */
export const findMail = async (
  paths: string[],
  standardInput: AsyncIterable<Buffer> = process.stdin,
): Promise<MailFile[]> => {
  const files: MailFile[] = [];
  for (const path of paths) {
    const isFolder = path !== "-" && (await stat(path).catch(() => null))?.isDirectory();
    if (path === "-") files.push({ path, bytes: 0, open: () => standardInput });
    else if (isFolder) for await (const file of filesIn(path)) files.push(file);
    else files.push(await fileAt(path));
  }
  return files;
};
