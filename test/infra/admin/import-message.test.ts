import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { dayMilliseconds } from "../../../lib/time/clock.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptAll } from "../../harness/intercepted-table.ts";
import { bearer, call, startService } from "../../harness/service.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const account = randomUUID();
const domain = randomUUID();
const importingInto = (account_id: string) => `import-message --account ${account_id} --domain ${domain}`;
const importing = importingInto(account);

const email = (number: number) =>
  `From: a@example.com\nTo: b@example.org\nSubject: Number ${number}\nMessage-ID: <${number}@x>\n\nHello ${number}\n`;
const mboxOf = (emails: string[]) =>
  emails.map((text) => `From a@example.com Sat Nov 21 15:00:00 2026\n${text}\n`).join("");

/** Returns the response of Get Message. */
const getMessage = async (id: string): Promise<Record<string, string>> => {
  const [{ api_key }] = await adminJson(`create-api-key --scope * --account ${account}`);
  const url = `${await startService(Date.now)}/v2/accounts/${account}/messages/${id}`;
  return JSON.parse(await (await call(url, { headers: bearer(api_key) })).text());
};

test("An imported email has the fields of its headers, and is readable at once", async () => {
  const file = "infra/local/demo/welcome-html-with-logo.eml";

  const printed = await adminJson(`${importing} --tag one --tag two --retain-days 7 ${file}`);

  const [id, message_id] = [expect.any(String), expect.stringMatching(/^<.+>$/)];
  expect(printed).toEqual([{ id, file, message_id, account_id: account, is_new: true, is_deleted: false }]);
  const message = await getMessage(printed[0].id);
  const content = await readFile(file, "utf8");
  expect(message).toMatchObject({ direction: "outgoing", status: "sent", tags: ["one", "two"], content });
  expect(message).toMatchObject({ message_id: printed[0].message_id, domain_id: domain });
  const days = (Date.parse(message.retain_until ?? "") - Date.now()) / dayMilliseconds;
  expect(days).toBeCloseTo(7, 2);
});

test("--status and --retain-until take the place of the defaults", async () => {
  const [{ id }] = await adminJson(`${importing} --status queued --retain-until 2096-01-31 -`, email(1000));

  const { status, retain_until } = await getMessage(id);
  expect({ status, day: retain_until?.slice(0, 10) }).toEqual({ status: "queued", day: "2096-01-31" });
});

test("With --local, the address of the desk is printed, and of one email its page", async () => {
  const one = await admin(`${importing} --local -`, { input: email(1) });
  vi.stubEnv("PORT", "3456");
  const two = await admin(`${importing} --local ${folderOf({ "1.eml": email(1), "2.eml": email(2) })}`);
  const none = await admin(`${importing} --local ${folderOf({ "notes.txt": "no email" })}`);

  const [id] = one.stdout[0]?.split(" ") ?? [];
  expect(one.stdout.slice(1)).toEqual([`http://127.0.0.1:3000/messages#${account}/${id}`]);
  expect(two.stdout.at(-1)).toBe("http://127.0.0.1:3456/messages");
  expect(none.stdout.join()).not.toContain("http");
});

test("An email is read from standard input for -", async () => {
  const content = "From: a@example.com\r\nTo: b@example.org\r\nSubject: Hi\r\nMessage-ID: <1@x>\r\n\r\nHello";

  const [{ id }] = await adminJson(`${importing} --direction incoming -`, content);

  const fields = { sender: "a@example.com", recipient: "b@example.org", subject: "Hi", content };
  expect(await getMessage(id)).toMatchObject({ ...fields, direction: "incoming", status: "received" });
});

test("Each email that cannot be imported is reported, and the others are imported", async () => {
  const [good, bad] = ["test/emails/plain-text.eml", "test/emails/no-headers.eml"];
  const large = Buffer.alloc(40 * 1024 * 1024 + 1, "x");
  large.write("From: a@example.com\r\nTo: b@example.org\r\n\r\n");

  const { status, stdout, stderr } = await admin(`${importing} --json no-such.eml ${bad} - ${good}`, {
    input: large,
  });
  const bare = join(folderOf({ "bare.eml": "Subject: Hi\n\nHello" }), "bare.eml");
  const without = await admin(`${importing} ${bare}`);
  const badSender = await admin(`${importing} --sender nobody --recipient a@b.c ${bare}`);

  expect(status).toBe(1);
  expect(stdout.map((line) => JSON.parse(line).file)).toEqual([good]);
  expect(stderr.toSorted()).toEqual([
    "-: the email has 41943041 bytes, but at most 41943040 (40 MiB) are stored",
    "no-such.eml: no such file or directory",
    `${bad}: no email and no mbox: it has no header field of an email`,
  ]);
  expect(without.stderr).toEqual([`${bare}: its headers have no sender. Pass --sender`]);
  expect(badSender.stderr).toEqual([expect.stringMatching(`^${bare}: sender must be an email address`)]);
});

test("--sender and --recipient apply to emails without addresses", async () => {
  const [sender, recipient] = ["MAILER-DAEMON@example.com", "list@example.org"];
  const given = `--sender ${sender} --recipient ${recipient}`;
  const folder = folderOf({ "bare.eml": "Subject: Hi\n\nHello" });
  const [without] = await adminJson(`${importing} ${given} ${folder}`);
  const [named] = await adminJson(`${importing} ${given} test/emails/plain-text.eml`);

  expect(await getMessage(without.id)).toMatchObject({ sender, recipient });
  const ada = { sender: "ada@example.com", recipient: "bob@example.org" };
  expect(await getMessage(named.id)).toMatchObject(ada);
});

test.each(["From: <>", "From: Mail Delivery <>", "Return-Path: <>\nFrom: MAILER-DAEMON"])(
  "The null sender becomes mailer-daemon@ the recipient's domain: %j",
  async (from) => {
    const [{ id }] = await adminJson(`${importing} -`, `${from}\nTo: b@example.org\nMessage-ID: <1@x>\n\nFailed`);

    expect(await getMessage(id)).toMatchObject({ sender: "mailer-daemon@example.org", recipient: "b@example.org" });
  },
);

test("The same email is one message of an account, however often it is imported", async () => {
  const file = "test/emails/multipart-digest.eml";
  const [first] = await adminJson(`${importing} ${file}`);

  const again = await admin(`${importing} --tag other ${file}`);
  const [elsewhere] = await adminJson(`${importingInto(randomUUID())} ${file}`);

  expect(first.is_new).toBe(true);
  expect(first.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(again).toMatchObject({ status: 0, stdout: [`${first.id}  ${file}  (there already)`] });
  expect(elsewhere.id).not.toBe(first.id);
  expect(elsewhere.is_new).toBe(true);
});

test("A folder is imported as a whole, what is no email is named, and the outcomes are counted", async () => {
  const mbox = mboxOf([email(2), email(3), email(2)]);
  const folder = folderOf({
    "one.eml": email(1),
    "mail/all.mbox": mbox,
    "mail/none": "no email",
    "x.eml": "To: a@b.c",
  });
  const importing = `${importingInto(randomUUID())} ${folder}`;

  const { status, stdout, stderr } = await admin(importing);
  const json = await admin(`${importing} --json`);

  expect(status).toBe(1);
  const lines = stdout.map((line) => line.replace(/^[\da-f-]{36} {2}.*\/([\w.:]+).*/, "$1"));
  const skipped = "no email and no mbox: it has no header field of an email";
  const expected = `${folder}/mail/none: ${skipped}|3 stored, 1 there already, 1 failed, 1 no email, skipped`;
  expect(lines.sort()).toEqual([...expected.split("|"), "all.mbox:1", "all.mbox:2", "all.mbox:3", "one.eml"]);
  expect(stderr).toEqual([`${folder}/x.eml: its headers have no sender. Pass --sender`]);
  expect(json.stdout.map((line) => JSON.parse(line))).toContainEqual({ file: `${folder}/mail/none`, skipped });
});

test("At most 20 files that are no emails are named, and with --json all, and so are doubts", async () => {
  const files = Object.fromEntries(Array.from({ length: 23 }, (_, number) => [`${number}.txt`, "no email"]));
  const mbox = `${mboxOf([email(1)])}From a@example.com\n${email(2)}`;
  const importing = `${importingInto(randomUUID())} ${folderOf({ ...files, mbox })}`;

  const { status, stdout } = await admin(importing);
  const json = (await admin(`${importing} --json`)).stdout.map((line) => JSON.parse(line));

  expect(status).toBe(0);
  expect(stdout.filter((line) => line.includes("no header field"))).toHaveLength(20);
  expect(stdout.slice(-2)).toEqual(["… and 4 more notes. --json prints all", "1 stored, 23 no email, skipped"]);
  expect(json.filter(({ skipped }) => skipped)).toHaveLength(23);
  expect(json).toContainEqual(expect.objectContaining({ doubt: expect.stringContaining("without a date") }));
});

/** Runs `act` as a user whom file permissions hold back, because root may read everything. */
const withoutRoot = async <T>(act: () => Promise<T>): Promise<T> => {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
};

test("Entries that can't be read are named, and every other email is imported", async () => {
  const folder = folderOf({
    "a/x.eml": email(1),
    "locked/y.eml": email(2),
    "listed/z.eml": email(3),
    "z.eml": email(4),
  });
  const latin1 = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from(".eml")]);
  const isAllowed = process.platform !== "darwin"; // The file system of macOS takes only names in UTF-8.
  if (isAllowed) writeFileSync(latin1, email(5));
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "locked"), 0);
  chmodSync(join(folder, "listed"), 0o444); // Its names can be read, but not its files.

  const { status, stdout, stderr } = await withoutRoot(() => admin(`${importingInto(randomUUID())} ${folder}`));

  expect(stderr.toSorted()).toEqual([
    ...(isAllowed ? [`${folder}/caf\ufffd.eml: its name is not UTF-8. Rename it`] : []),
    `${folder}/listed/z.eml: permission denied`,
    `${folder}/locked: permission denied`,
  ]);
  expect(stdout.map((line) => line.split("/").at(-1)).toSorted()).toEqual([
    `2 stored, ${stderr.length} failed`,
    "x.eml",
    "z.eml",
  ]);
  expect(status).toBe(1);
});

test("An email that a mail program moves from new to cur meanwhile is named, and the others are imported", async () => {
  const emails = Array.from({ length: 40 }, (_, number) => [`new/${number + 10}.M1P2.host`, email(number)]);
  const folder = folderOf({ ...Object.fromEntries(emails), "cur/1.M1P2.host:2,S": email(41) });
  const importing = `${importingInto(randomUUID())} ${folder}`;
  const { end } = interceptAll((_, proceed) => {
    renameSync(join(folder, "new/49.M1P2.host"), join(folder, "cur/49.M1P2.host:2,"));
    end();
    return proceed();
  });

  const first = await admin(importing);
  const again = await admin(importing);

  const fault = "the file was moved or deleted meanwhile. Run the same import again";
  expect(first.stderr).toEqual([`${folder}/new/49.M1P2.host: ${fault}`]);
  expect([first.status, first.stdout.at(-1)]).toEqual([1, "40 stored, 1 failed"]);
  expect([again.status, again.stdout.at(-1)]).toEqual([0, "1 stored, 40 there already"]);
});

test("An email that was deleted stays deleted when its mbox is imported again, unless the operator asks for it", async () => {
  const account_id = randomUUID();
  const importing = `${importingInto(account_id)} ${folderOf({ mbox: mboxOf([email(1), email(2)]) })}`;
  const [{ id }] = await adminJson(importing);
  await admin(`delete-message ${id} --account ${account_id}`);
  const shown = () => admin(`show-message ${id} --account ${account_id}`);

  const again = await admin(importing);
  const skipped = await adminJson(importing);
  const before = await shown();
  const restored = await admin(`${importing} --restore-deleted`);
  const after = await shown();
  await admin(`delete-message ${id} --account ${account_id}`);

  expect(again.status).toBe(0);
  expect(again.stdout.at(-1)).toBe("1 there already, 1 deleted before, skipped");
  expect(again.stdout).toContainEqual(expect.stringMatching(`^${id}  .*  \\(deleted before, skipped\\)$`));
  expect(skipped).toContainEqual(expect.objectContaining({ id, is_new: false, is_deleted: true }));
  expect([before.status, after.status]).toEqual([1, 0]);
  expect(restored.stdout.at(-1)).toBe("1 stored, 1 there already");
  expect(await adminJson(importing)).toContainEqual(expect.objectContaining({ id, is_deleted: true }));
});

test("On a terminal, a bar shows the progress, and the emails of a folder have no lines", async () => {
  const folder = folderOf({ "all.mbox": mboxOf(Array.from({ length: 20 }, (_, number) => email(number))) });
  writeFileSync(join(folder, "one.eml"), email(0));

  const seen = await admin(`${importingInto(randomUUID())} ${folder}`, { terminal: true });
  const unseen = await admin(`${importingInto(randomUUID())} ${folder}`);
  const named = await admin(`${importingInto(randomUUID())} ${folder}/all.mbox ${folder}/one.eml`, { terminal: true });

  expect(seen.stdout).toEqual(["20 stored, 1 there already"]);
  expect(named.stdout).toEqual([expect.stringMatching(/^[\da-f-]{36} {2}.+\/one.eml/), seen.stdout[0]]);
  expect(seen.terminal).toMatch(/█*░+ +\d+% {2}\d+ emails {2}\d+\/s {2}\d+:\d\d left/);
  expect(seen.terminal).toMatch(/\r.\[2K$/);
  expect(unseen.stdout).toHaveLength(22);
  expect(unseen.terminal).toBe("");
});

test("In a folder without emails, each file is named, and an empty folder has none", async () => {
  const empty = await admin(`${importing} ${folderOf({})}`);
  const ran = await admin(`${importing} ${folderOf({ "notes.txt": "no email" })}`);

  expect(ran).toMatchObject({ status: 0, stdout: [expect.stringContaining("notes.txt: no email")], stderr: [] });
  expect(empty).toMatchObject({ status: 0, stdout: ["no emails found"], stderr: [] });
});

test("An import that was killed can be run again, and no email is lost or stored twice", async () => {
  const account_id = randomUUID();
  const emails = Array.from({ length: 80 }, (_, number) => email(number));
  const mbox = mboxOf(emails);
  const command = importingInto(account_id);
  const child = spawn("node", ["infra/admin/main.ts", ...command.split(" "), "-"], { env: process.env });
  child.stdin.write(mbox.slice(0, mbox.length / 2)); // It cannot end before it is killed.
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "close");

  const outcomes = await adminJson(`${command} ${folderOf({ mbox })}`);

  // The id of a message depends only on its account and email.
  expect(outcomes.filter(({ is_new }) => !is_new)).not.toEqual([]);
  const ids = outcomes.map(({ id }) => id);
  const stored = await adminJson(`show-message ${ids.join(" ")} --account ${account_id}`);
  const all = emails.map((_, number) => `Number ${number}`);
  expect(stored.map(({ subject }) => subject).sort()).toEqual(all.sort());
});

/** Records events of the account, as a pipeline sends them. */
const recordEvents = (...events: object[]) =>
  adminJson("record-events -", events.map((event) => JSON.stringify({ account_id: account, ...event })).join("\n"));

const storedEvent = (named: object, fields: object) => ({
  type: "message.stored",
  id: randomUUID(),
  message: {
    ...{ domain_id: domain, direction: "outgoing", subject: "Your order", status: "accepted", tags: ["from-event"] },
    ...{ sender: "shop@example.com", recipient: "Bo@example.org", retain_until: "2196-11-20T12:00:00Z" },
    ...named,
    ...fields,
  },
  raw_email: null,
});

const orderEmail = (headers: string) =>
  `From: Shop <shop@example.com>\r\nTo: bo@example.org\r\nSubject: Your order\r\n${headers}\r\n\r\nThanks`;

test("--external-id adds the email to the message that an event has stored, whichever comes first", async () => {
  for (const isEventFirst of [true, false]) {
    const external_id = `grüße ${randomUUID()}`;
    const content = orderEmail(`X-Order: ${external_id}\r\nMessage-ID: <order@example.com>`);
    const event = storedEvent({ external_id }, { message_id: "<order@example.com>" });
    if (isEventFirst) await recordEvents(event);

    const [{ id, is_new }] = await adminJson(`${importing} --external-id x-order -`, content);
    if (!isEventFirst) await recordEvents(event);

    const opened = { type: "message.opened", id: randomUUID(), message: { external_id } };
    expect(await recordEvents(opened)).toMatchObject([{ outcome: "recorded" }]);
    expect(is_new).toBe(!isEventFirst);
    expect(await getMessage(id)).toMatchObject({ content, open_count: 1, tags: isEventFirst ? ["from-event"] : [] });
  }
});

test("--from ses finds the message of an email that SES has sent", async () => {
  const messageId = `0102${randomUUID()}-000000`;
  const message_id = `<${messageId}@eu-west-1.amazonses.com>`;
  await recordEvents(storedEvent({ external_id: `ses:${messageId}:bo@example.org` }, { message_id }));

  const { status, stdout } = await admin(`${importing} --from ses -`, {
    input: orderEmail(`Message-ID: ${message_id}`),
  });

  expect(status).toBe(0);
  expect(stdout[0]).toMatch(/\(email added\)$/);
  const [id = ""] = stdout[0]?.split(" ") ?? [];
  expect(await getMessage(id)).toMatchObject({ message_id, tags: ["from-event"], content: expect.any(String) });
});

test("An id in a header has up to 255 characters, also beyond the first 65,536 of Unicode", async () => {
  const statusOf = async (id: string) =>
    (await admin(`${importing} --external-id X-Order -`, { input: orderEmail(`X-Order: ${id}`) })).status;

  expect([await statusOf("🎉".repeat(255)), await statusOf("x".repeat(256))]).toEqual([0, 1]);
});

test.each([
  ["--external-id X-Order", "", "its header X-Order must have 1 to 255 characters"],
  ["--from ses", "<1@evil-amazonses.com>", "its Message-ID is not from Amazon SES"],
  ["--from ses", "<1@amazonses.com.evil.example>", "its Message-ID is not from Amazon SES"],
  ["--from ses", "<@email.amazonses.com>", "its Message-ID is not from Amazon SES"],
])("%s rejects an email without the id: %s", async (option, messageId, reason) => {
  const input = orderEmail(`Message-ID: ${messageId}\r\nX-Order:`);

  expect(await admin(`${importing} ${option} -`, { input })).toMatchObject({ status: 1, stderr: [`-: ${reason}`] });
});

test.each(["--external-id X-Order", "--from ses"])("%s is rejected for incoming mail", async (option) => {
  const { status, stderr } = await admin(`${importing} --direction incoming ${option} -`, { input: email(1) });

  expect(status).toBe(2);
  expect(stderr.join()).toContain("strangers write the headers of incoming mail");
});
