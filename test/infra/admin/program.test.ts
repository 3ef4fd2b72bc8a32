import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { localEnvironment } from "../../../infra/cli/local-environment.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptAll } from "../../harness/intercepted-table.ts";
import { startAccount } from "../../harness/members.ts";
import { day, newMessage, table } from "../../harness/service.ts";

const id = randomUUID();
const account = `--account ${id}`;
/** Each command, with the least that it takes. */
const least: Record<string, { operands: string; input?: string }> = {
  "create-api-key": { operands: "--scope *" },
  "list-api-keys": { operands: account },
  "rotate-api-key": { operands: id },
  "revoke-api-key": { operands: id },
  "list-members": { operands: account },
  "set-member-role": { operands: `${account} --role Analyst ${id}` },
  "remove-member": { operands: `${account} ${id}` },
  "find-messages": { operands: "ada@example.com" },
  "import-message": { operands: `${account} --domain ${id} -`, input: "From: a@example.com\nTo: b@example.org\n\n" },
  "record-events": {
    operands: "-",
    input: JSON.stringify({ type: "message.opened", id: "1", account_id: id, message: { id } }),
  },
  "show-message": { operands: `${account} ${id}` },
  "restore-content": { operands: `${account} ${id} -`, input: "From: a@example.com\n\n" },
  "remove-content": { operands: `${account} ${id}` },
  "delete-message": { operands: `${account} ${id}` },
  "add-sender": { operands: `ses-received:example.com ${account} --domain ${id}` },
  "list-senders": { operands: "" },
  "remove-sender": { operands: "ses-received:example.com" },
  "erase-person": { operands: "ada@example.com" },
  "prepare-table": { operands: "" },
};
const commands = Object.keys(least);
const importing = `import-message ${account} --domain ${randomUUID()}`;

test("--help finds every command, one line each, within 80 columns", async () => {
  const { status, stdout } = await admin("--help");

  const lines = stdout.join("\n").split("\n");
  const listed = lines.map((line) => /^ {2}([a-z-]+) {2,}[a-z]/.exec(line)?.[1]).filter(Boolean);
  expect(listed).toEqual(commands);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(status).toBe(0);
});

test.each(commands)("%s -h says what it takes", async (command) => {
  const { status, stdout, stderr } = await admin(`${command} -h`);

  expect(stdout.join("\n")).toMatch(new RegExp(`^Usage: npm run -s admin -- ${command} .*\\[options\\]`));
  expect(stdout.join("\n")).toContain("--json");
  expect(await admin(`${command} --help`)).toMatchObject({ stdout });
  expect(stderr).toEqual([]);
  expect(status).toBe(0);
});

test.each(Object.entries(least))(
  "%s --local uses the table of npm start",
  async (command, { operands, input = "" }) => {
    for (const name of Object.keys(localEnvironment(1))) vi.stubEnv(name, undefined);
    const used = new Set<string>();
    interceptAll(({ input }) => {
      const [, name] = /"TableName":"([^"]+)"/.exec(JSON.stringify(input)) ?? [];
      used.add(`${process.env.AWS_ENDPOINT_URL_DYNAMODB} ${name}`);
      throw new Error("stop");
    });

    await admin(`${command} ${operands} --local`, { input });

    expect([...used]).toEqual(["http://127.0.0.1:8000 email-api"]);
  },
);

test("Without a command, the help is an error", async () => {
  const { status, stdout, stderr } = await admin("");

  expect(stdout).toEqual([]);
  expect(stderr.join("\n")).toContain("create-api-key");
  expect(status).toBe(2);
});

test.each([
  ["delete-everything", /^unknown command 'delete-everything'. See npm run -s admin -- --help$/],
  ["list-api-key", /^unknown command 'list-api-key' \(Did you mean list-api-keys\?\). See npm run -s admin --/],
  [
    "create-api-key --scope * --colour red",
    /^unknown option '--colour'. See npm run -s admin -- create-api-key --help$/,
  ],
  ["create-api-key --scope * emk_secret", /^too many arguments for 'create-api-key'. Expected 0 .+ but got 1: emk_….$/],
  ["create-api-key --account x", /^option '--account <uuid>' argument 'x' is invalid. It takes a UUID.$/],
  ["create-api-key --scope messages:write", /'messages:write' is invalid. It takes \*, messages:read:all, .+$/],
  ["create-api-key --expires-in soon", /'soon' is invalid. It takes a time such as 90d, 12h or 30m.$/],
  ["create-api-key --expires-in 0", /'0' is invalid/],
  ["create-api-key --label=", /'' is invalid. It takes a text that is not empty.$/],
  ["create-api-key", /^required option '--scope <scope>' not specified$/],
  ["list-api-keys", /^required option '--account <uuid>' not specified$/],
  [`set-member-role a@b.c ${account} --role Owner`, /'Owner' is invalid. .+ Administrator, Developer, Analyst, Bi/],
  [`import-message --domain ${randomUUID()} x.eml`, /^required option '--account <uuid>' not specified$/],
  [`import-message ${account} x.eml`, /^required option '--domain <uuid>' not specified$/],
  [importing, /^missing required argument 'file'$/],
  [`${importing} --direction up x.eml`, /'up' is invalid. Allowed choices are incoming, outgoing.$/],
  [`${importing} --retain-days 0 x.eml`, /'0' is invalid. It takes a number of days from 1 to 36500.$/],
  [`${importing} --retain-until someday x.eml`, /It takes a date such as 2027-01-31.$/],
  [`${importing} --retain-until +010000-01-01 x.eml`, /It takes a date such as 2027-01-31.$/],
  [`${importing} --retain-until 2020-01-01 x.eml`, /--retain-until takes a date in the future$/],
  [`${importing} --retain-until 2030-01-01 --retain-days 3 x.eml`, /cannot be used with option/],
  [
    `${importing} --external-id X-Order: x.eml`,
    /'X-Order:' is invalid. It takes the name of a header, such as X-Order.$/,
  ],
  ["remove-sender -", /^Standard input is empty$/],
  ["erase-person ada@example.com --verify --delete", /'--verify' cannot be used with option '--delete'$/],
  [`${importing} --from ses --external-id X-Order x.eml`, /cannot be used with option/],
  ["find-messages ada@example.com --limit 0", /'0' is invalid. It takes a number from 1 to 1000.$/],
  ["find-messages ada@example.com --limit 1001", /'1001' is invalid. It takes a number from 1 to 1000.$/],
  ["find-messages ada@example.com --since 2026-13-01", /It takes a time ago such as 7d or 12h, or a date/],
])("%s is rejected in one clear line, with exit status 2", async (command, complaint) => {
  const { status, stdout, stderr } = await admin(command);

  const line = [expect.stringMatching(complaint)];
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: [], stderr: line });
});

test("Control characters and line breaks from strangers never reach the terminal, and --json keeps them", async () => {
  const hostile = "\u001b]0;x\u0007\u009b2J\u007f\r\n\u0085\u2028\u2029\u202e";
  const escaped = "\\u001b]0;x\\u0007\\u009b2J\\u007f\\u000d\\u000a\\u0085\\u2028\\u2029\\u202e";
  const { account_id, add } = await startAccount();
  await add({ email: "ada@example.com", role: "Analyst", name: hostile });
  const message = newMessage({ account_id, subject: hostile, retain_until: new Date(Date.now() + day) });
  await storeMessage(table, message, null, Date.now());
  const file = `${hostile}.eml`;

  const members = await admin(`list-members --account ${account_id}`);
  const shown = await admin(`show-message ${message.id} --account ${account_id}`);
  const imported = await admin(["import-message", "--account", account_id, "--domain", randomUUID(), file]);

  const json = await admin(`list-members --account ${account_id} --json`);

  for (const { stdout, stderr } of [members, shown, imported, json]) {
    const text = [...stdout, ...stderr].join("");
    expect(text).toContain(stdout === json.stdout ? "\\u009b2J\\u007f" : escaped);
    expect(text).not.toMatch(/[\p{Cc}\u2028\u2029\u202e]/u);
  }
  expect(await adminJson(`list-members --account ${account_id}`)).toMatchObject([{ name: hostile }]);
  const [object] = await adminJson(`show-message ${message.id} --account ${account_id}`);
  expect(object.subject).toBe(hostile);
});
