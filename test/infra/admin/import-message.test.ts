import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { headSort } from "../../../lib/table/keys.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, startService, table } from "../../harness/service.ts";

let url: string;
beforeEach(async () => {
  url = await startService(Date.now);
});

const account = randomUUID();
const domain = randomUUID();
const importingInto = (account_id: string) => `import-message --account ${account_id} --domain ${domain}`;
const importing = importingInto(account);

const email = (number: number) =>
  `From: a@example.com\nTo: b@example.org\nSubject: Number ${number}\nMessage-ID: <${number}@x>\n\nHello ${number}\n`;
const mboxOf = (emails: string[]) =>
  emails.map((text) => `From a@example.com Sat Nov 21 15:00:00 2026\n${text}\n`).join("");

/** A folder that holds these files, until the test ends. */
const folderOf = (files: Record<string, string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
};

/** The subjects of all messages that the account has. */
const subjectsOf = async (account_id: string): Promise<string[]> => {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new ScanCommand({
      TableName: table.name,
      FilterExpression: "account_id = :account AND sk = :head",
      ExpressionAttributeValues: { ":account": account_id, ":head": headSort },
    }),
  );
  expect(LastEvaluatedKey).toBeUndefined();
  return Items.map(({ subject }) => subject);
};

const getMessage = async (id: string) => {
  const [{ api_key }] = await adminJson(`create-api-key --account ${account}`);
  return call(`${url}/v2/accounts/${account}/messages/${id}`, { headers: bearer(api_key) });
};

test("takes what the headers say, and the message is served at once", async () => {
  const file = "infra/local/demo/welcome-html-with-logo.eml";
  const raw = await readFile(file);

  const { status, stdout } = await admin(`${importing} --json --tag one --tag two --retain-days 7 ${file}`);

  expect(status).toBe(0);
  const printed = JSON.parse(stdout[0] ?? "");
  expect(printed).toEqual({
    id: expect.any(String),
    file,
    message_id: expect.stringMatching(/^<.+>$/),
    account_id: account,
    is_new: true,
  });
  const response = await getMessage(printed.id);
  const message = (await response.json()) as Record<string, string>;
  expect(message).toMatchObject({
    direction: "outgoing",
    status: "sent",
    tags: ["one", "two"],
    message_id: printed.message_id,
    domain_id: domain,
    content: raw.toString(),
  });
  const days = (Date.parse(message.retain_until ?? "") - Date.now()) / (24 * 60 * 60 * 1000);
  expect(days).toBeCloseTo(7, 2);
});

test("reads standard input for -", async () => {
  const raw = "From: a@example.com\r\nTo: b@example.org\r\nSubject: Hi\r\nMessage-ID: <1@x>\r\n\r\nHello";

  const { stdout } = await admin(`${importing} --json --direction incoming -`, { input: raw });

  const message = await (await getMessage(JSON.parse(stdout[0] ?? "").id)).json();
  expect(message).toMatchObject({
    sender: "a@example.com",
    recipient: "b@example.org",
    subject: "Hi",
    direction: "incoming",
    status: "received",
    content: raw,
  });
});

test("names what it can't import, stores nothing of it, and goes on", async () => {
  const good = "test/emails/plain-text.eml";

  const { status, stdout, stderr } = await admin(
    `${importing} --json no-such.eml test/emails/no-headers.eml ${good}`,
  );

  expect(status).toBe(1);
  expect(stdout.map((line) => JSON.parse(line).file)).toEqual([good]);
  expect(stderr).toEqual([
    "no-such.eml: no such file or directory",
    "test/emails/no-headers.eml: its headers have no sender. Pass --sender",
  ]);
});

test("refuses an email of more than 40 MiB by name", async () => {
  const raw = Buffer.alloc(40 * 1024 * 1024 + 1, "x");
  raw.write("From: a@example.com\r\nTo: b@example.org\r\n\r\n");

  const { status, stderr } = await admin(`${importing} -`, { input: raw });

  expect(status).toBe(1);
  expect(stderr).toEqual(["-: the email has 41943041 bytes, but at most 41943040 (40 MiB) are stored"]);
});

test("--sender and --recipient are for an email that names none", async () => {
  const given = "--sender MAILER-DAEMON@example.com --recipient list@example.org";
  const [without] = await adminJson(`${importing} ${given} test/emails/no-headers.eml`);
  const [named] = await adminJson(`${importing} ${given} test/emails/plain-text.eml`);

  expect(await (await getMessage(without.id)).json()).toMatchObject({
    sender: "MAILER-DAEMON@example.com",
    recipient: "list@example.org",
  });
  expect(await (await getMessage(named.id)).json()).toMatchObject({
    sender: "ada@example.com",
    recipient: "bob@example.org",
  });
});

test("An address that is none is refused by name", async () => {
  const { status, stderr } = await admin(
    `${importing} --sender nobody --recipient a@b.c test/emails/no-headers.eml`,
  );

  expect(status).toBe(1);
  expect(stderr).toEqual([
    expect.stringMatching(/^test\/emails\/no-headers.eml: sender must be an email address/),
  ]);
});

test("The same email is one message of an account, however often it is imported", async () => {
  const file = "test/emails/multipart-digest.eml";
  const [first] = await adminJson(`${importing} ${file}`);

  const again = await admin(`${importing} --tag other ${file}`);
  const [elsewhere] = await adminJson(`${importingInto(randomUUID())} ${file}`);

  expect(first).toMatchObject({
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    is_new: true,
  });
  expect(again).toMatchObject({ status: 0, stdout: [`${first.id}  ${file}  (there already)`] });
  expect(elsewhere.id).not.toBe(first.id);
  expect(elsewhere.is_new).toBe(true);
});

test("A folder is imported whole, and what became of it is summed up", async () => {
  const folder = folderOf({
    "one.eml": email(1),
    "mail/all.mbox": mboxOf([email(2), email(3), email(2)]),
    "mail/none.eml": "no email",
  });

  const { status, stdout, stderr } = await admin(`${importingInto(randomUUID())} ${folder}`);

  expect(status).toBe(1);
  expect(stdout.map((line) => line.replace(/^[\da-f-]{36} {2}.*\/([\w.:]+).*/, "$1")).sort()).toEqual([
    "3 stored, 1 there already, 1 failed",
    "all.mbox:1",
    "all.mbox:2",
    "all.mbox:3",
    "one.eml",
  ]);
  expect(stderr).toEqual([`${folder}/mail/none.eml: its headers have no sender. Pass --sender`]);
});

test("On a terminal a bar shows how far it is, and the emails of a folder pass without a line each", async () => {
  const folder = folderOf({ "all.mbox": mboxOf(Array.from({ length: 20 }, (_, number) => email(number))) });

  const seen = await admin(`${importingInto(randomUUID())} ${folder}`, { terminal: true });
  const unseen = await admin(`${importingInto(randomUUID())} ${folder}`);

  expect(seen.stdout).toEqual(["20 stored"]);
  expect(seen.terminal).toMatch(/█*░+ +\d+% {2}\d+ emails {2}\d+\/s {2}\d+:\d\d left/);
  expect(seen.terminal).toMatch(/\r.\[2K$/);
  expect(unseen.stdout).toHaveLength(21);
  expect(unseen.terminal).toBe("");
});

test("A folder without emails is named as such", async () => {
  const folder = folderOf({ "notes.txt": "no email" });

  const { status, stdout, stderr } = await admin(`${importing} ${folder}`);

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: ["no emails found"], stderr: [] });
});

test("An import that is killed is taken up by running it again: nothing is lost, or there twice", async () => {
  const account_id = randomUUID();
  const emails = Array.from({ length: 80 }, (_, number) => email(number));
  const mbox = mboxOf(emails);
  const command = importingInto(account_id);
  const child = spawn("node", ["infra/admin/main.ts", ...command.split(" "), "-"], { env: process.env });
  child.stdin.write(mbox.slice(0, mbox.length / 2)); // it can't get to the end before it is killed
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "close");
  const before = await subjectsOf(account_id);

  const outcomes = await adminJson(`${command} ${folderOf({ mbox })}`);

  expect(before.length).toBeGreaterThan(0);
  // The engine may still have stored one that was on its way.
  expect(outcomes.filter(({ is_new }) => !is_new).length).toBeGreaterThanOrEqual(before.length);
  expect(outcomes).toHaveLength(80);
  const all = emails.map((_, number) => `Number ${number}`);
  expect((await subjectsOf(account_id)).sort()).toEqual(all.sort());
});

test.each([
  [`import-message --domain ${domain} x.eml`, /^required option '--account <uuid>' not specified$/],
  [`import-message --account ${account} x.eml`, /^required option '--domain <uuid>' not specified$/],
  [importing, /^missing required argument 'file'$/],
  [`${importing} --direction up x.eml`, /'up' is invalid. Allowed choices are incoming, outgoing.$/],
  [`${importing} --retain-days 0 x.eml`, /'0' is invalid. It takes a number of days from 1 to 36500.$/],
  [`${importing} --retain-until someday x.eml`, /It takes a date such as 2027-01-31.$/],
  [`${importing} --retain-until +010000-01-01 x.eml`, /It takes a date such as 2027-01-31.$/],
  [`${importing} --retain-until 2020-01-01 x.eml`, /It takes a date in the future.$/],
  [`${importing} --retain-until 2030-01-01 --retain-days 3 x.eml`, /cannot be used with option/],
])("%s is refused in one line", async (command, complaint) => {
  const { status, stdout, stderr } = await admin(command);

  expect(stderr).toEqual([expect.stringMatching(complaint)]);
  expect(stdout).toEqual([]);
  expect(status).toBe(2);
});
