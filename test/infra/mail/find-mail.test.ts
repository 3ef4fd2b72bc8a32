import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { findMail } from "../../../infra/mail/find-mail.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

/** Creates a folder with these files, which are separated by blanks. */
const withFiles = (names: string) =>
  folderOf(Object.fromEntries(names.split(" ").map((name) => [name, "12345"])));

const found = async (folder: string) => {
  const files = await findMail([folder]);
  return files.map(({ path }) => relative(folder, path));
};

test("The emails and mboxes of a folder and its subfolders are found, and no other files", async () => {
  const folder = withFiles("b.eml A.EML all.mbox Inbox Inbox.msf notes.txt .DS_Store in/1");

  expect(await found(folder)).toEqual("A.EML Inbox all.mbox b.eml in/1".split(" "));
});

test("The emails of a Maildir are in cur and new, and in the same folders of its subfolders", async () => {
  const folder = withFiles(
    "cur/1.M1P2.host:2,S new/2.M1P2.host tmp/3.M1P2.host dovecot-uidlist .Sent/cur/4.host:2, .Sent/new/5.host .Sent/tmp/6.host",
  );

  expect(await found(folder)).toEqual(
    ".Sent/cur/4.host:2, .Sent/new/5.host cur/1.M1P2.host:2,S new/2.M1P2.host".split(" "),
  );
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
