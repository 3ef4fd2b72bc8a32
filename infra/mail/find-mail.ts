/** Finds the files that hold email: those that are named, and in a folder a Maildir, mbox files and emails. */
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";

export type MailFile = { path: string; bytes: number; open: () => AsyncIterable<Buffer> };

/** What mail programs call their files; without a dot, it is an mbox, or an email in a folder of MH. */
const extensions = new Set(["", ".eml", ".mbox", ".mbx"]);

const isHidden = (name: string): boolean => name.startsWith(".");

/** A Maildir has its emails in cur and new, by any name; those in tmp are still being written. */
const holdsMaildir = (names: string[]): boolean => ["cur", "new"].every((name) => names.includes(name));

async function* filesIn(folder: string, takesAll = false): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const isMaildir = holdsMaildir(entries.map(({ name }) => name));
  for (const entry of entries) {
    const { name } = entry;
    const path = join(folder, name);
    if (entry.isDirectory()) {
      const isMailbox = isMaildir && (name === "cur" || name === "new");
      // The other folders of a Maildir are hidden in it: .Sent is a Maildir of its own.
      if (isMailbox || isHidden(name) === isMaildir) yield* filesIn(path, isMailbox);
    } else if (entry.isFile() && !isHidden(name) && !isMaildir) {
      if (takesAll || extensions.has(extname(name).toLowerCase())) yield path;
    }
  }
}

const fileAt = (path: string, bytes: number): MailFile => ({
  path,
  bytes,
  open: () => createReadStream(path, { highWaterMark: 1024 * 1024 }),
});

/** Returns the files to read for these paths. One that is not there is among them: reading it says so. */
export const findMail = async (
  paths: string[],
  standardInput: AsyncIterable<Buffer> = process.stdin,
): Promise<MailFile[]> => {
  const files: MailFile[] = [];
  const sizeOf = async (path: string): Promise<number> => (await stat(path)).size;
  for (const path of paths) {
    if (path === "-") {
      files.push({ path, bytes: 0, open: () => standardInput });
      continue;
    }
    const found = await stat(path).catch(() => null);
    if (!found?.isDirectory()) files.push(fileAt(path, found?.size ?? 0));
    else for await (const file of filesIn(path)) files.push(fileAt(file, await sizeOf(file)));
  }
  return files;
};
