import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { beforeEach, expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, startService } from "../../harness/service.ts";

let url: string;
beforeEach(async () => {
  url = await startService(Date.now);
});

const account = randomUUID();
const domain = randomUUID();
const importing = `import-message --account ${account} --domain ${domain}`;

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
    expect.stringMatching(/^no-such\.eml: ENOENT/),
    "test/emails/no-headers.eml: its headers name no sender",
  ]);
});

test("refuses an email of more than 40 MiB by name", async () => {
  const raw = Buffer.alloc(40 * 1024 * 1024 + 1, "x");
  raw.write("From: a@example.com\r\nTo: b@example.org\r\n\r\n");

  const { status, stderr } = await admin(`${importing} -`, { input: raw });

  expect(status).toBe(1);
  expect(stderr).toEqual(["-: the email has 41943041 bytes: at most 41943040 (40 MiB) are kept"]);
});

test.each([
  [`import-message --domain ${domain} x.eml`, /^required option '--account <uuid>' not specified$/],
  [`import-message --account ${account} x.eml`, /^required option '--domain <uuid>' not specified$/],
  [importing, /^missing required argument 'file'$/],
  [`${importing} --direction up x.eml`, /'up' is invalid. Allowed choices are incoming, outgoing.$/],
  [`${importing} --retain-days 0 x.eml`, /'0' is invalid. It takes a number of days from 1 to 36500.$/],
  [`${importing} --retain-until someday x.eml`, /It takes a date such as 2027-01-31.$/],
  [`${importing} --retain-until 2020-01-01 x.eml`, /It takes a date that is to come.$/],
  [`${importing} --retain-until 2030-01-01 --retain-days 3 x.eml`, /cannot be used with option/],
])("%s is refused in one line", async (command, complaint) => {
  const { status, stdout, stderr } = await admin(command);

  expect(stderr).toEqual([expect.stringMatching(complaint)]);
  expect(stdout).toEqual([]);
  expect(status).toBe(2);
});
