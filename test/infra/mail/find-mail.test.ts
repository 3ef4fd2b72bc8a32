import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { findMail } from "../../../infra/mail/find-mail.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

/** Creates a folder with these files, which are separated by blanks. */
const withFiles = (names: string) => folderOf(Object.fromEntries(names.split(" ").map((name) => [name, "12345"])));

const found = async (folder: string) => {
  const files = await findMail([folder]);
  return files.map(({ path }) => relative(folder, path));
};

const maildir = "cur/1.M1P2.host:2,S new/2.M1P2.host tmp/3.M1P2.host .Sent/cur/4.host:2, .Sent/new/5 .Sent/tmp/6 x";

test.each([
  ["the emails and mboxes", "b.eml A.EML all.mbox B B.msf c.txt .DS_Store in/1", "A.EML B all.mbox b.eml in/1"],
  ["cur and new of Maildirs", maildir, ".Sent/cur/4.host:2, .Sent/new/5 cur/1.M1P2.host:2,S new/2.M1P2.host"],
])("In a folder and its subfolders, %s are found, and no other files", async (_, files, emails) => {
  expect(await found(withFiles(files))).toEqual(emails.split(" "));
});

test("Hidden folders and symbolic links are ignored, so that no file is found twice", async () => {
  const folder = withFiles(".git/HEAD a.eml");
  symlinkSync(folder, join(folder, "again"));

  expect(await found(folder)).toEqual(["a.eml"]);
});

test("A file that is an operand is found, whatever its name, with its size", async () => {
  const folder = withFiles("letter.txt");

  const [file] = await findMail([join(folder, "letter.txt")]);

  expect(file).toMatchObject({ path: join(folder, "letter.txt"), bytes: 5 });
});
