import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findMail } from "../../../infra/mail/find-mail.ts";

/** A folder that holds these files, until the test ends. */
const folderOf = (...files: string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "12345");
  }
  return folder;
};

const found = async (folder: string) => {
  const files = await findMail([folder]);
  return files.map(({ path }) => relative(folder, path));
};

test("A folder's emails and mbox files are found, in its folders too, and nothing else", async () => {
  const folder = folderOf(
    "b.eml",
    "A.EML",
    "all.mbox",
    "Inbox",
    "Inbox.msf",
    "notes.txt",
    ".DS_Store",
    "in/1",
  );

  expect(await found(folder)).toEqual(["A.EML", "Inbox", "all.mbox", "b.eml", "in/1"]);
});

test("A Maildir's emails are those in cur and new, of its folders too", async () => {
  const folder = folderOf(
    "cur/1.M1P2.host:2,S",
    "new/2.M1P2.host",
    "tmp/3.M1P2.host",
    "dovecot-uidlist",
    ".Sent/cur/4.host:2,",
    ".Sent/new/5.host",
    ".Sent/tmp/6.host",
  );

  expect(await found(folder)).toEqual([
    ".Sent/cur/4.host:2,",
    ".Sent/new/5.host",
    "cur/1.M1P2.host:2,S",
    "new/2.M1P2.host",
  ]);
});

test("Hidden folders and links are left alone: nothing is found twice, or for ever", async () => {
  const folder = folderOf(".git/HEAD", "a.eml");
  symlinkSync(folder, join(folder, "again"));

  expect(await found(folder)).toEqual(["a.eml"]);
});

test("A file that is named is taken, whatever it is called, with its size", async () => {
  const folder = folderOf("letter.txt");

  const [file] = await findMail([join(folder, "letter.txt")]);

  expect(file).toMatchObject({ path: join(folder, "letter.txt"), bytes: 5 });
});
