import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { UserError } from "../../../infra/cli/user-error.ts";
import { lockDataFile } from "../../../infra/local/data-file.ts";
import { freePort } from "../../../infra/local/engine.ts";
import { readOptions } from "../../../infra/local/options.ts";
import { listen } from "../../harness/listen.ts";
import { engineOf, run, startLocal } from "../../harness/process.ts";
import { folderOf, temporaryFolder } from "../../harness/temporary-folder.ts";

/** The printed commands by the start of their titles. */
const commandsOf = (output: string) => {
  const commands = [...output.matchAll(/^# (.+)\n(.+)$/gm)];
  return (start: string): string => {
    const [, , command] = commands.find(([, title]) => title?.startsWith(start)) ?? [];
    if (!command) throw new Error(`npm start prints no command for: ${start}`);
    return command;
  };
};

const runJson = async (command: string) => JSON.parse((await run(command)).stdout);

const responds = async (port: number): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)) !== undefined;

const startWith = (...options: string[]) => startLocal({}, ["node", "infra/local/main.ts", ...options]);

test("npm start prints commands that work when they are pasted, and serves 500 requests at once", async () => {
  const { output, url, child, said } = await startLocal();
  const { pid: engine } = await engineOf(child);
  const command = commandsOf(output);

  const messages = await Promise.all(
    ["A message with", "The invoice", "The bounce"].map((title) => runJson(command(title))),
  );
  const parts = [{ content_type: "text/plain" }, { content_type: "text/html" }];
  expect(messages).toMatchObject([
    { num_attempts: 2, open_count: 3, click_count: 1, content_parsed: { parts } },
    { status: "bounced", content_parsed: { attachments: [{ content_type: "application/pdf" }] } },
    { is_bounce_notification: true },
  ]);
  for (const { created_at, sent_at, delivered_at, delivery_attempts } of messages) {
    const times = [sent_at, delivered_at, ...delivery_attempts.map(({ time }: { time: string }) => time)];
    expect(times.filter((time) => time !== null && time < created_at)).toEqual([]);
  }

  const outputOf = async (title: string) => (await run(command(title))).stdout;
  expect(await outputOf("The bounce")).toMatch(/"reference_message_id":9007199254740993,.*\n$/);
  expect(await outputOf("The same message, compressed")).toMatch(/^Content-Encoding: (zstd|br|gzip)/im);
  expect(await outputOf("A message that does not exist")).toMatch(/^HTTP\/1.1 404/);
  expect(await outputOf("A new member")).toMatch(/^HTTP\/1.1 201/);
  expect(await outputOf("The same user")).toMatch(/^HTTP\/1.1 409/);
  expect(await outputOf("The same key")).toMatch(/^HTTP\/1.1 422/);

  const folder = folderOf({ "my.eml": "From: a@example.com\r\nTo: b@example.org\r\n\r\nHi" });
  const imported = await run(command("Your own email").replace("my.eml", join(folder, "my.eml")));
  const [id = ""] = imported.stdout.split(" ");
  expect(imported.stdout).toMatch(new RegExp(`\n${url}/messages#[\\da-f-]{36}/${id}\n$`));
  const read = command("A message with").replace(/messages\/[\da-f-]+/, `messages/${id}`);
  expect(await runJson(read)).toMatchObject({ id, sender: "a@example.com" });

  const [, path = "", Authorization = ""] = /(\/v2\/[^"]+)".*Authorization: ([^"]+)"/.exec(read) ?? [];
  const get = async () => {
    const response = await fetch(url + path, { headers: { Authorization } });
    return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
  };
  const responses = await Promise.all(Array.from({ length: 500 }, get));
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  expect(said()).toBe(output); // Neither request logs nor metrics push the commands out of the terminal.

  child.kill("SIGKILL");
  await expect.poll(() => run(`kill -0 ${engine}`)).toMatchObject({ status: 1 });
});

test.each([
  ["Ctrl-C, which a terminal sends to the whole process group", -1, "SIGINT"],
  ["SIGTERM to npm alone", 1, "SIGTERM"],
] as const)("npm start ends with %s, and leaves nothing running", async (_, target, signal) => {
  const DYNAMODB_PORT = String(await freePort());
  const service = await startLocal({ DYNAMODB_PORT }, ["npm", "start"]);
  expect(await responds(Number(DYNAMODB_PORT))).toBe(true);

  process.kill(target * (service.child.pid ?? 0), signal);
  await service.ended;

  expect(await responds(Number(DYNAMODB_PORT))).toBe(false);
  expect(await responds(Number(new URL(service.url).port))).toBe(false);
});

test("A busy port 8000 does not stop npm start; it ends when its engine ends", async () => {
  const other = createServer().on("error", () => {}); // somebody else may use port 8000 already
  other.listen(8000, "127.0.0.1");
  onTestFinished(() => void other.close());
  const command = ["env", "-u", "DYNAMODB_PORT", "node", "infra/local/main.ts"];

  const { output, child, ended, said } = await startLocal({}, command);
  const recorded = await run(commandsOf(output)("The first message is opened once more"));
  process.kill((await engineOf(child)).pid, "SIGKILL");

  expect(output).toMatch(/DYNAMODB_PORT='(?!8000')\d+' npm run -s admin/);
  expect(recorded).toMatchObject({ status: 0, stderr: "" });
  expect(await ended).toBe(1);
  expect(said()).toContain("The embedded DynamoDB has ended");
});

describe("An error that the user can fix is one line:", () => {
  /** A folder into which not even root may write. */
  const closed = process.platform === "darwin" ? "/System" : "/proc";
  const mayWrite = "Check that you may write to it and to its folder";
  const otherFormat = "has another format. Name a new file, or one that npm start has created";

  test.each(["PORT", "DYNAMODB_PORT"])("%s is in use", async (variable) => {
    const port = await listen(createServer());

    const variables = { PORT: "0", DYNAMODB_PORT: "0", [variable]: String(port) };
    const ended = await run("node infra/local/main.ts", { variables });

    const stderr = `Port ${port} is in use. Set ${variable} to another port\n`;
    expect(ended).toEqual({ status: 1, stdout: "", stderr });
  });

  test("a bad argument, with exit status 2", async () => {
    const ended = await run("PORT=0 DYNAMODB_PORT=0 node infra/local/main.ts --date x");

    const stderr = "unknown option '--date' (Did you mean --data?). See npm start -- --help\n";
    expect(ended).toEqual({ status: 2, stdout: "", stderr });
  });

  test("a folder of --seed that does not exist", async () => {
    const ended = await run("PORT=0 DYNAMODB_PORT=0 node infra/local/main.ts --seed nowhere");

    const stderr = "--seed takes a folder with emails, but nowhere does not exist\n";
    expect(ended).toEqual({ status: 2, stdout: "", stderr });
  });

  test.each([
    ["nowhere/x.db", "--data: the folder nowhere does not exist"],
    ["package.json/x.db", "--data: the folder package.json does not exist"],
    [`${closed}/x.db`, `--data: ${closed}/x.db can't be opened. ${mayWrite}`],
    ["package.json", `--data: package.json ${otherFormat}`],
    ["test", "--data takes a file, but test is a folder"],
  ])("a file of --data that cannot be used: %s", (file, reason) => {
    expect(() => lockDataFile(file)).toThrow(new UserError(reason, 2));
  });

  test("a missing value and an extra argument", () => {
    expect(() => readOptions(["--data"])).toThrow(
      new UserError("option '--data <file>' argument missing. See npm start -- --help", 2),
    );
    expect(() => readOptions(["extra"])).toThrow(
      new UserError("too many arguments. Expected 0 arguments but got 1: extra. See npm start -- --help", 2),
    );
  });

  test("AWS_ENDPOINT_URL_DYNAMODB names a port without a DynamoDB", async () => {
    const variables = { ...inject("engine"), AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1" };

    const { status, stdout, stderr } = await run("node infra/local/main.ts", { variables });

    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^No DynamoDB responds at http:\/\/127.0.0.1:1. Check that "npm start" or .+\n$/);
  });
});

test("--help lists the options and variables, and states that the demonstration's key changes", async () => {
  const { status, stdout, stderr } = await run("node infra/local/main.ts --help");

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const parts =
    "npm start -- [options]|--data <file>|--seed <folder>|PORT|DYNAMODB_PORT|AWS_ENDPOINT_URL_DYNAMODB|API key changes";
  for (const part of parts.split("|")) expect(stdout).toContain(part);
});

test("A command that closes the pipe early, such as head, ends --help without an error", async () => {
  const piped = await run("node infra/local/main.ts --help | true");

  expect(piped).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("--data keeps the data, belongs to one npm start at a time, and replaces the demonstration's key", async () => {
  const file = join(temporaryFolder(), "table.db");
  const first = await startWith("--data", file);
  const earlier = commandsOf(first.output);
  await run(earlier("A new member"));

  const concurrent = await run(`PORT=0 DYNAMODB_PORT=0 node infra/local/main.ts --data ${file}`);
  first.child.kill("SIGKILL");
  await first.ended;
  // The engine of a killed process may use the file for another moment.
  const second = await vi.waitFor(() => startWith("--data", file), 60_000);
  const [, DYNAMODB_PORT = ""] = /DYNAMODB_PORT='(\d+)'/.exec(second.output) ?? [];
  const [, account] = /accounts\/([\da-f-]+)/.exec(second.output) ?? [];
  const keys = await run(`npm run -s admin -- list-api-keys --local --json --account ${account}`, {
    variables: { DYNAMODB_PORT },
  });

  expect(concurrent.stderr).toContain(`--data: ${file} is in use by another "npm start"`);
  expect(concurrent.status).toBe(1);
  const replay = await run(commandsOf(second.output)("A new member"));
  expect(replay.stdout).toMatch(/^Idempotent-Replayed: true/im);
  expect(keys.stdout.match(/"revoked_at":null/g)).toHaveLength(1);
  const withOldKey = await runJson(earlier("A message with").replace(first.url, second.url));
  expect(withOldKey).toEqual({ message: "Invalid API key" });
});

test("--seed serves your own mail, stored now or by an earlier start, and AWS_ENDPOINT_URL_DYNAMODB replaces the embedded engine", async () => {
  const letter = "From: a@example.com\r\nTo: b@example.org\r\nSubject: Mine\r\n\r\nHi";
  const folder = folderOf({ "letter.eml": letter, "nameless.eml": "Subject: From no one\r\n\r\nHi" });
  const latin1 = Buffer.concat([Buffer.from(join(folder, "caf")), Buffer.from([0xe9]), Buffer.from(".eml")]);
  writeFileSync(latin1, letter);
  const DYNAMODB_PORT = String(await freePort());
  const variables = { ...inject("engine"), DYNAMODB_PORT, TABLE_NAME: `test-${randomUUID()}` };
  const start = () => startLocal(variables, ["node", "infra/local/main.ts", "--seed", folder]);

  const first = await start();
  const second = await start();
  const { output, said } = second;

  expect(await responds(Number(DYNAMODB_PORT))).toBe(false);
  for (const printed of [first.output, output]) expect(printed).toContain(`Emails of ${folder}: 1\n`);
  await expect.poll(said).toContain(`${join(folder, "nameless.eml")}: `);
  await expect.poll(said).toContain(`${join(folder, "caf\ufffd.eml")}: its name is not UTF-8. Rename it`);
  const mine = await runJson(commandsOf(output)("One of your own emails"));
  expect(mine).toMatchObject({ subject: "Mine", direction: "incoming" });
  expect(said()).not.toContain("letter.eml");
  const credentials = { AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any" };
  const recording = commandsOf(output)("The first message is opened once more");
  const recorded = await run(recording, { variables: credentials });
  expect(recorded).toMatchObject({ status: 0, stderr: "" });
  for (const [{ child, ended }, signal] of [
    [first, "SIGINT"],
    [second, "SIGTERM"],
  ] as const) {
    child.kill(signal);
    expect(await ended, signal).toBe(0);
  }
});
