import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { findMail } from "../../../infra/mail/find-mail.ts";
import { NoEmailError } from "../../../infra/mail/recognise-file.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

/** Creates a folder with these files, which are separated by blanks. */
const withFiles = (names: string) => folderOf(Object.fromEntries(names.split(" ").map((name) => [name, "12345"])));

const found = async (folder: string) => {
  const files = await findMail([folder]);
  return files.map(({ path }) => relative(folder, path));
};

const maildir =
  "cur/1.M1P2.host:2,S new/2.M1P2.host tmp/3.M1P2.host .Sent/cur/4.host:2, .Sent/new/5 .Sent/tmp/6 in/cur/7 x";

test.each([
  [
    "every file",
    "b.eml A.EML shop.example B.msf c.txt .x.eml in/1 .hidden/2 cur/3 tmp/4",
    ".hidden/2 .x.eml A.EML B.msf b.eml c.txt cur/3 in/1 shop.example tmp/4",
  ],
  [
    "all of a Maildir except tmp",
    maildir,
    ".Sent/cur/4.host:2, .Sent/new/5 cur/1.M1P2.host:2,S in/cur/7 new/2.M1P2.host x",
  ],
])("In a folder and its subfolders, %s is found", async (_, files, emails) => {
  expect(await found(withFiles(files))).toEqual(emails.split(" "));
});

test("Links are followed, but not back to a folder that contains them", async () => {
  const folder = withFiles("a.eml in/b.eml");
  const elsewhere = withFiles("c.eml");
  symlinkSync(folder, join(folder, "in/back"));
  symlinkSync(elsewhere, join(folder, "linked"));
  symlinkSync(join(elsewhere, "c.eml"), join(folder, "z"));
  symlinkSync(join(folder, "nothing"), join(folder, "zz"));

  expect(await found(folder)).toEqual(["a.eml", "in/b.eml", "linked/c.eml", "z", "zz"]);
});

test("An entry that is neither a file nor a folder is found as what is no email, with the reason", async () => {
  const folder = withFiles("a.eml");
  symlinkSync("/dev/null", join(folder, "device"));
  symlinkSync(join(folder, "nothing"), join(folder, "link"));

  const [, device, link] = await findMail([folder]);

  expect(device?.open).toThrow(new NoEmailError("it is neither a file nor a folder"));
  expect(link?.open).toThrow(new NoEmailError("the link leads nowhere"));
  expect([device?.isListed, link?.isListed]).toEqual([true, true]);
});

test("A file that is an operand is found, whatever its name, with its size", async () => {
  const folder = withFiles("letter.txt");

  const [file] = await findMail([join(folder, "letter.txt")]);

  expect(file).toMatchObject({ path: join(folder, "letter.txt"), bytes: 5 });
});
