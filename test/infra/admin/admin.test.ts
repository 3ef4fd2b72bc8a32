import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { run } from "../../harness/process.ts";
import { bearer, call, startService } from "../../harness/service.ts";

let url: string;
beforeEach(async () => {
  url = await startService(Date.now);
});

const variables = () => ({
  TABLE_NAME: process.env.TABLE_NAME ?? "",
  AWS_ENDPOINT_URL_DYNAMODB: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "",
  AWS_REGION: "local",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
});

const admin = (command: string, input: string | Buffer = "") =>
  run(`node infra/admin/main.ts ${command}`, { variables: variables(), input });

const account = randomUUID();
const domain = randomUUID();
const importing = `import-message --account ${account} --domain ${domain}`;

const createKey = async (options: string) =>
  JSON.parse((await admin(`create-api-key --json ${options}`)).stdout);
const getMessage = async (id: string) => {
  const { api_key } = await createKey(`--account ${account}`);
  return call(`${url}/v2/accounts/${account}/messages/${id}`, { headers: bearer(api_key) });
};

describe("create-api-key", () => {
  test("prints the key once, for a new account and everything when neither is named", async () => {
    const { status, stdout } = await admin("create-api-key");

    expect(status).toBe(0);
    expect(stdout).toMatch(/^API key {3}emk_[\w-]{43} /);
    expect(stdout).toMatch(/^account {3}[0-9a-f-]{36}$/m);
    expect(stdout).toMatch(/^scopes {4}\*$/m);
    expect(stdout).toMatch(/^expires {3}never$/m);
  });

  test("--json prints one object, and nothing else", async () => {
    const before = Date.now();

    const { stdout } = await admin(
      `create-api-key --json --account ${account.toUpperCase()} --scope messages:read:{Example.COM} ` +
        "--scope accounts:members:add --label shop --expires-in 90d",
    );

    const { expires_at, ...key } = JSON.parse(stdout);
    expect(key).toEqual({
      api_key: expect.stringMatching(/^emk_/),
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      account_id: account,
      scopes: ["messages:read:{example.com}", "accounts:members:add"],
    });
    expect((Date.parse(expires_at) - before) / (24 * 60 * 60 * 1000)).toBeCloseTo(90, 2);
  });

  test("makes a key that works at once, until it is revoked", async () => {
    const { api_key, id } = await createKey(`--account ${account}`);
    const get = () =>
      call(`${url}/v2/accounts/${account}/messages/${randomUUID()}`, { headers: bearer(api_key) });
    expect((await get()).status).toBe(404);

    expect((await admin(`revoke-api-key ${id}`)).status).toBe(0);

    expect((await get()).status).toBe(401);
    const again = await admin(`revoke-api-key ${id}`);
    expect(again.status).toBe(1);
    expect(again.stderr).toBe(`${id}: no such key, or it was revoked before\n`);
  });
});

describe("import-message", () => {
  test("takes what the headers say, and the message is served at once", async () => {
    const file = "infra/local/demo/welcome-html-with-logo.eml";
    const raw = await readFile(file);

    const { status, stdout } = await admin(`${importing} --json --tag one --tag two --retain-days 7 ${file}`);

    expect(status).toBe(0);
    const printed = JSON.parse(stdout);
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

    const { stdout } = await admin(`${importing} --json --direction incoming -`, raw);

    const message = await (await getMessage(JSON.parse(stdout).id)).json();
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
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).file),
    ).toEqual([good]);
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/^no-such\.eml: ENOENT/),
      "test/emails/no-headers.eml: its headers name no sender",
    ]);
  });

  test("refuses an email of more than 40 MiB by name", async () => {
    const raw = Buffer.alloc(40 * 1024 * 1024 + 1, "x");
    raw.write("From: a@example.com\r\nTo: b@example.org\r\n\r\n");

    const { status, stderr } = await admin(`${importing} -`, raw);

    expect(status).toBe(1);
    expect(stderr).toBe("-: the email has 41943041 bytes: at most 41943040 (40 MiB) are kept\n");
  });
});

describe("Bad arguments are one clear line, and exit status 2:", () => {
  test.each([
    ["", /^The commands are create-api-key, import-message, revoke-api-key; not nothing$/],
    ["delete-everything", /not delete-everything$/],
    ["create-api-key --account x", /^--account takes a UUID, not x$/],
    ["create-api-key --scope messages:write", /^--scope takes .+, not messages:write$/],
    ["create-api-key --expires-in soon", /^--expires-in takes a time such as 90d, 12h or 30m, not soon$/],
    ["create-api-key --colour red", /^Unknown option '--colour'/],
    ["create-api-key extra", /extra/],
    [`import-message --domain ${domain} x.eml`, /^--account takes a UUID$/],
    [`import-message --account ${account} x.eml`, /^--domain takes a UUID$/],
    [importing, /^No file is named/],
    [`${importing} --direction up x.eml`, /^--direction takes incoming or outgoing, not up$/],
    [`${importing} --retain-days 0 x.eml`, /^--retain-days takes a number of days/],
    [`${importing} --retain-until someday x.eml`, /^--retain-until takes a date/],
    [`${importing} --retain-until 2020-01-01 x.eml`, /^--retain-until takes a date that is to come/],
    [`${importing} --retain-until 2030-01-01 --retain-days 3 x.eml`, /exclude each other$/],
    ["revoke-api-key", /^No key is named/],
  ])("%s", async (command, complaint) => {
    const { status, stdout, stderr } = await admin(command);

    expect(stderr.trim().split("\n")).toEqual([expect.stringMatching(complaint)]);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });

  test("no table is named", async () => {
    const { status, stderr } = await run("node infra/admin/main.ts create-api-key");

    expect(stderr).toBe("Set TABLE_NAME to the deployed table's name, or pass --local\n");
    expect(status).toBe(2);
  });
});

describe("--local", () => {
  test("means the table that npm start runs on DYNAMODB_PORT", async () => {
    const { status, stderr } = await run("node infra/admin/main.ts create-api-key --local", {
      variables: { DYNAMODB_PORT: "1" },
    });

    expect(stderr).toBe('No DynamoDB answers at http://127.0.0.1:1: is "npm start" running?\n');
    expect(status).toBe(1);
    expect(inject("enginePort")).not.toBe(1);
  });
});
