/** Finds email files, mboxes and Maildirs in the paths that an operator gives. */
import type { Dirent } from "node:fs";
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../cli/user-error.ts";
import { NoEmailError } from "./recognise-file.ts";

/**
 * An unreadable file makes `open` throw; the import then reports the file and goes on with the next. `isListed` means
 * that it was found in a folder, so nobody said that it is an email.
 */
export type MailFile = { path: string; bytes: number; isListed?: true; open: () => AsyncIterable<Buffer> };

/** Node.js replaces invalid UTF-8 in a file name by U+FFFD, and then can't find the file. */
const isUnreadable = (name: string): boolean => name.includes("\ufffd");

const unreadable = (path: string, error: unknown): MailFile => ({
  path,
  bytes: 0,
  isListed: true,
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
  return { ...file, isListed: true, open };
};

/**
 * Lists every file, because names say little: Thunderbird names an mbox after its folder, as in `shop.example`. Only a
 * Maildir's `tmp` is left out, because it contains incomplete emails.
 *
 * @param parents the real paths of the folders that contain this one, because a link may lead back to one of them
 */
async function* filesIn(folder: string, parents: readonly string[] = []): AsyncGenerator<MailFile> {
  let entries: Dirent[];
  let real: string;
  try {
    entries = await readdir(folder, { withFileTypes: true });
    real = await realpath(folder);
  } catch (error) {
    return yield unreadable(folder, error);
  }
  if (parents.includes(real)) return;
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const isMaildir = ["cur", "new"].every((name) => entries.some((entry) => entry.name === name));
  for (const entry of entries) {
    const { name } = entry;
    const path = join(folder, name);
    if (isMaildir && name === "tmp") continue;
    if (isUnreadable(name)) {
      yield unreadable(path, new UserError("its name is not UTF-8. Rename it"));
      continue;
    }
    const target = entry.isSymbolicLink() ? await stat(path).catch(() => null) : entry;
    if (target?.isDirectory()) yield* filesIn(path, [...parents, real]);
    else if (target?.isFile()) yield await listedFile(path);
    else
      yield unreadable(path, new NoEmailError(target ? "it is neither a file nor a folder" : "the link leads nowhere"));
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
