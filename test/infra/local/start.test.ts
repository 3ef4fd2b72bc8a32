import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { freePort } from "../../../infra/local/engine.ts";
import { engineOf, run, type Service, startLocal } from "../../harness/process.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const commandsOf = (output: string): Map<string, string> =>
  new Map([...output.matchAll(/^# (.+)\n(.+)$/gm)].map(([, title = "", command = ""]) => [title, command]));

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  );

/** The variables that name another DynamoDB. */
const elsewhere = (endpoint: string): string =>
  `AWS_EC2_METADATA_DISABLED=true AWS_ENDPOINT_URL_DYNAMODB=${endpoint} AWS_REGION=local AWS_ACCESS_KEY_ID=local ` +
  "AWS_SECRET_ACCESS_KEY=local";

const startAndStop = async (start: () => Promise<Service>): Promise<Service> => {
  const service = await start();
  service.child.kill();
  await service.ended;
  return service;
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("npm start", () => {
  test("prints commands that work when they are pasted", async () => {
    const { output } = await startLocal();

    const answers = new Map<string, string>();
    for (const [title, command] of commandsOf(output)) {
      if (!command.startsWith("curl")) continue;
      const { status, stdout } = await run(command);
      expect(status, title).toBe(0);
      answers.set(title, stdout);
    }

    const bodies = [...answers.values()];
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({
      object: "message",
      num_attempts: 2,
      open_count: 3,
      click_count: 1,
      content_parsed: { parts: [{ content_type: "text/plain" }, { content_type: "text/html" }] },
    });
    expect(JSON.parse(bodies[1] ?? "")).toMatchObject({
      status: "bounced",
      content_parsed: { attachments: [{ content_type: "application/pdf" }] },
    });
    expect(bodies[2]).toContain('"reference_message_id":9007199254740993');
    expect(bodies[3]).toMatch(/^Content-Encoding: (zstd|br|gzip)/im);
    expect(bodies[4]).toMatch(/^HTTP\/1.1 404/);
    expect(bodies[5]).toMatch(/^HTTP\/1.1 201/);
    expect(bodies[6]).toMatch(/^HTTP\/1.1 409/);
    expect(bodies[7]).toMatch(/^HTTP\/1.1 422/);
    const joins =
      commandsOf(output).get("A member joins; paste it twice: the second answer is a replay") ?? "";
    expect((await run(joins)).stdout).toMatch(/^Idempotent-Replayed: true/im);
  });

  test.each([
    ["Ctrl-C, which a terminal sends to the whole process group", -1, "SIGINT"],
    ["SIGTERM to npm alone", 1, "SIGTERM"],
  ] as const)("ends with %s, and leaves nothing running", async (_, target, signal) => {
    const DYNAMODB_PORT = String(await freePort());
    const service = await startLocal({ DYNAMODB_PORT }, ["npm", "start"]);
    expect(await answers(Number(DYNAMODB_PORT))).toBe(true);

    process.kill(target * (service.child.pid ?? 0), signal);
    await service.ended;

    expect(await answers(Number(DYNAMODB_PORT))).toBe(false);
    expect(await fetch(service.url).catch(() => "refused")).toBe("refused");
  });

  test.each(["PORT", "DYNAMODB_PORT"])("says in one line that %s is taken", async (variable) => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;

    const { status, stdout, stderr } = await run("node infra/local/main.ts", {
      variables: { PORT: "0", DYNAMODB_PORT: "0", [variable]: String(port) },
    });

    expect(stderr).toBe(`Port ${port} is taken: set ${variable} to another one\n`);
    expect(stdout).toBe("");
    expect(status).toBe(1);
  });

  test.each([
    ["PORT=many node infra/local/main.ts", "PORT takes a port from 0 to 65535, not many"],
    ["DYNAMODB_PORT=70000 node infra/local/main.ts", "DYNAMODB_PORT takes a port from 0 to 65535, not 70000"],
    [
      "node infra/local/main.ts --date x",
      "unknown option '--date' (Did you mean --data?): see npm start -- --help",
    ],
    ["node infra/local/main.ts --data", "option '--data <file>' argument missing: see npm start -- --help"],
    ["node infra/local/main.ts --data test", "--data takes a file: test is a folder"],
    [
      "node infra/local/main.ts --data nowhere/x.db",
      "--data: nowhere/x.db can't be opened: does its folder exist?",
    ],
    [
      "node infra/local/main.ts --data package.json",
      "--data: package.json has another format: name a new file, or one that npm start has created",
    ],
    [
      "DYNAMODB_PORT=0 PORT=0 node infra/local/main.ts --seed nowhere",
      "--seed takes a folder with emails: there is nothing at nowhere",
    ],
    [
      `${elsewhere("localhost:1")} node infra/local/main.ts`,
      "AWS_ENDPOINT_URL_DYNAMODB takes a URL such as http://127.0.0.1:8000, not localhost:1",
    ],
    [
      `${elsewhere("http://127.0.0.1:1")} node infra/local/main.ts`,
      'No DynamoDB responds at http://127.0.0.1:1. Check that "npm start" or another DynamoDB runs there',
    ],
    [
      `${elsewhere("http://127.0.0.1:1")} AWS_REGION= node infra/local/main.ts`,
      "Set AWS_REGION. A DynamoDB on this machine accepts any region",
    ],
    [
      `${elsewhere("http://127.0.0.1:1")} AWS_ACCESS_KEY_ID= HOME=/nowhere node infra/local/main.ts`,
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. A DynamoDB on this machine accepts any credentials",
    ],
  ])("says in one line what is wrong with %s", async (command, complaint) => {
    expect(await run(command)).toEqual({ status: 1, stdout: "", stderr: `${complaint}\n` });
  });

  test.each(["--help", "-h"])("says with %s what it takes, and starts nothing", async (option) => {
    const { status, stdout, stderr } = await run(`node infra/local/main.ts ${option}`);

    expect(stdout).toMatch(/^Usage: npm start -- \[options\]\n/);
    for (const name of [
      "--data <file>",
      "--seed <folder>",
      "PORT",
      "DYNAMODB_PORT",
      "AWS_ENDPOINT_URL_DYNAMODB",
    ])
      expect(stdout).toContain(name);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("--data keeps what was stored", async () => {
    const file = join(await temporaryFolder(), "table.db");
    const start = () => startLocal({}, ["node", "infra/local/main.ts", "--data", file]);
    const title = "A member joins; paste it twice: the second answer is a replay";

    const before = await start();
    const joined = await run(commandsOf(before.output).get(title) ?? "");
    before.child.kill();
    await before.ended;
    const after = await start();
    const again = await run(commandsOf(after.output).get(title) ?? "");

    expect(joined.stdout).toMatch(/^HTTP\/1.1 201/);
    expect(joined.stdout).not.toMatch(/^Idempotent-Replayed/im);
    expect(again.stdout).toMatch(/^HTTP\/1.1 201/);
    expect(again.stdout).toMatch(/^Idempotent-Replayed: true/im);
  });

  test("--data that another npm start has in use is refused, until that one ends, however it ends", async () => {
    const file = join(await temporaryFolder(), "table.db");
    const first = await startLocal({}, ["node", "infra/local/main.ts", "--data", file]);
    const start = `PORT=0 DYNAMODB_PORT=0 node infra/local/main.ts --data ${file}`;

    const second = await run(start);
    first.child.kill("SIGKILL");
    await first.ended;

    const complaint = `--data: ${file} is in use by another "npm start": end that one, or name another file\n`;
    expect(second).toEqual({ status: 1, stdout: "", stderr: complaint });
    await expect
      .poll(() => startLocal({}, ["node", "infra/local/main.ts", "--data", file]))
      .toMatchObject({ output: expect.stringContaining("Ready on") });
  });

  test("--data does not gather keys: each start's key takes the place of the one before", async () => {
    const file = join(await temporaryFolder(), "table.db");
    const start = () => startLocal({}, ["node", "infra/local/main.ts", "--data", file]);
    const [title] = commandsOf((await startAndStop(start)).output).keys();
    const before = await startAndStop(start);

    const after = await start();
    const [, DYNAMODB_PORT = ""] = /DYNAMODB_PORT='(\d+)'/.exec(after.output) ?? [];
    const [, account] = /accounts\/([\da-f-]+)/.exec(after.output) ?? [];
    const listed = await run(`npm run -s admin -- list-api-keys --local --json --account ${account}`, {
      variables: { DYNAMODB_PORT },
    });
    const earlier =
      commandsOf(before.output)
        .get(title ?? "")
        ?.replace(before.url, after.url) ?? "";

    expect(listed.stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(listed.stdout)).toMatchObject({ label: "demonstration", revoked_at: null });
    expect(JSON.parse((await run(earlier)).stdout)).toEqual({ message: "Invalid API key" });
  });

  test("--seed serves your own mail, under the key that it prints", async () => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, "letter.eml"),
      "From: a@example.com\r\nTo: b@example.org\r\nSubject: Mine\r\n\r\nHi",
    );
    await writeFile(join(folder, "nameless.eml"), "Subject: From no one\r\n\r\nHi");

    const { output, said } = await startLocal({}, ["node", "infra/local/main.ts", "--seed", folder]);
    const shown = await run(commandsOf(output).get("One of your own emails") ?? "");

    expect(output).toContain(`1 email of ${folder} is served`);
    // The other stream may be read later.
    await expect.poll(said).toContain(`${join(folder, "nameless.eml")}: its headers have no sender`);
    expect(JSON.parse(shown.stdout)).toMatchObject({ subject: "Mine", direction: "incoming" });
  });

  test("what it prints to import an email works as it is printed, on any ports", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "my.eml"), "From: a@example.com\r\nTo: b@example.org\r\n\r\nHi");
    const { output } = await startLocal();
    const command = commandsOf(output).get("Your own email")?.replace("my.eml", join(folder, "my.eml")) ?? "";
    const read = commandsOf(output).values().next().value ?? "";

    const { stdout } = await run(command);
    const [id = ""] = stdout.split(" ");
    const served = await run(read.replace(/messages\/[\da-f-]+/, `messages/${id}`));

    expect(JSON.parse(served.stdout)).toMatchObject({ id, sender: "a@example.com" });
  });

  test("stores no message that was sent, or delivered, before it was created", async () => {
    const { output } = await startLocal();
    const reads = [...commandsOf(output).values()].slice(0, 3);

    const messages = await Promise.all(reads.map(async (read) => JSON.parse((await run(read)).stdout)));

    for (const { created_at, sent_at, delivered_at, delivery_attempts } of messages) {
      const times = [sent_at, delivered_at, ...delivery_attempts.map(({ time }: { time: string }) => time)];
      expect(times.filter((time) => time !== null && time < created_at)).toEqual([]);
    }
    expect(messages.filter(({ sent_at }) => sent_at !== null)).toHaveLength(2);
  });

  test("killed with kill -9, leaves no engine behind", async () => {
    const { child, output } = await startLocal();
    const { pid: engine } = await engineOf(child);

    child.kill("SIGKILL");

    expect(output).toContain("Ready on");
    await expect.poll(() => isRunning(engine)).toBe(false);
  });

  test("ends when its engine does, and says so", async () => {
    const { child, ended, said } = await startLocal();

    process.kill((await engineOf(child)).pid, "SIGKILL");

    expect(await ended).toBe(1);
    expect(said()).toContain("The embedded DynamoDB has ended");
  });

  test("answers 500 requests at once, each of them", async () => {
    const { output, url } = await startLocal();
    const [first = ""] = commandsOf(output).values();
    const [, path = ""] = /(\/v2\/[^"]+)"/.exec(first) ?? [];
    const [, Authorization = ""] = /Authorization: ([^"]+)"/.exec(first) ?? [];

    const statuses = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const response = await fetch(url + path, { headers: { Authorization } });
        await response.arrayBuffer();
        return response.status;
      }),
    );

    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test("uses the engine that AWS_ENDPOINT_URL_DYNAMODB names, instead of starting one", async () => {
    const DYNAMODB_PORT = String(await freePort());

    const { output } = await startLocal({ ...inject("engine"), DYNAMODB_PORT });

    expect(await answers(Number(DYNAMODB_PORT))).toBe(false);
    const [first = ""] = commandsOf(output).values();
    expect(JSON.parse((await run(first)).stdout)).toMatchObject({ object: "message" });
  });
});
