import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { claimPort } from "../../../infra/local/engine.ts";
import { run, startLocal } from "../../harness/process.ts";

const commandsOf = (output: string): Map<string, string> =>
  new Map([...output.matchAll(/^# (.+)\n(.+)$/gm)].map(([, title = "", command = ""]) => [title, command]));

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  );

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
    const DYNAMODB_PORT = String(await claimPort(0, ""));
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
    ["PORT=many node infra/local/main.ts", "PORT is no port: many\n"],
    ["node infra/local/main.ts --date x", "Unknown option '--date'"],
  ])("says in one line what is wrong with %s", async (command, complaint) => {
    const { status, stderr } = await run(command);

    expect(stderr).toContain(complaint);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(1);
  });

  test("--data keeps what was stored", async () => {
    const folder = await mkdtemp(join(tmpdir(), "email-api-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const start = () => startLocal({}, ["node", "infra/local/main.ts", "--data", join(folder, "table.db")]);
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

  test("uses the engine that AWS_ENDPOINT_URL_DYNAMODB names, instead of starting one", async () => {
    const DYNAMODB_PORT = String(await claimPort(0, ""));

    const { output } = await startLocal({ ...inject("engine"), DYNAMODB_PORT });

    expect(await answers(Number(DYNAMODB_PORT))).toBe(false);
    const [first = ""] = commandsOf(output).values();
    expect(JSON.parse((await run(first)).stdout)).toMatchObject({ object: "message" });
  });
});
