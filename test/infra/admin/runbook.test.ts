/** The runbook's commands that need no AWS account, run as the runbook has them. */
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join as pathOf } from "node:path";
import { expect, inject, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { run } from "../../harness/process.ts";
import { loseSegment, table } from "../../harness/service.ts";
import { freshTable, itemsIn, join, restore } from "../../harness/tables.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const runbook = readFileSync(new URL("../../../infra/admin/README.md", import.meta.url), "utf8");

/** Returns the shell commands of a section. */
const blocksOf = (section: string): string[] => {
  const [, text = ""] = runbook.split(`\n## ${section}\n`);
  const [thisSection = ""] = text.split("\n## ");
  return [...thisSection.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
};

/** Runs commands in a shell. The first command that fails ends them. Without npm, each command starts one process. */
const paste = (commands: string, variables: Record<string, string>) =>
  run(`set -e\nnpm() { shift 4; node infra/admin/main.ts "$@"; }\n${commands}`, {
    variables: { ...inject("engine"), TABLE_NAME: table.name, ...variables },
  });

/** Runs the lines of a section in this process. Every line is one command. */
const type = async (section: string, variables: Record<string, string>) => {
  const output: string[] = [];
  for (const line of blocksOf(section).join("").trim().split("\n")) {
    const [, command = ""] = /^npm run -s admin -- (.*?)(?: > \S+)?$/.exec(line) ?? [];
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);
    const args = words.map((word) => (word.startsWith("$") ? (variables[word.slice(1)] ?? "") : word));
    const { status, stdout, stderr } = await admin(args);
    expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: [] });
    output.push(...stdout);
  }
  return output.join("\n");
};

const createKey = async (account: string) => (await adminJson(`create-api-key --scope * --account ${account}`))[0];
const idsThatWork = async (account: string): Promise<string[]> => {
  const keys = await adminJson(`list-api-keys --account ${account}`);
  return keys.filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id);
};
const importInto = async (account: string, file: string): Promise<string> => {
  const [{ id }] = await adminJson(`import-message --account ${account} --domain ${randomUUID()} ${file}`);
  return id;
};

test("A leaked key is revoked, or replaced", async () => {
  const account = randomUUID();
  const revoked = await createKey(account);
  const replaced = await createKey(account);
  const [revoke = "", rotate = ""] = blocksOf("A leaked key");

  const first = await paste(revoke, { LEAK: `curl -H "Authorization: Bearer ${revoked.api_key}"` });
  const second = await paste(rotate, { LEAK: replaced.api_key });

  expect(first).toEqual({ status: 0, stdout: `revoked   ${revoked.id}\n`, stderr: "" });
  expect(second).toMatchObject({ status: 0, stderr: "" });
  const [, successor] = /^id +([\da-f]+)/m.exec(second.stdout) ?? [];
  expect(await idsThatWork(account)).toEqual([successor]);
});

test("A request to erase leaves tombstones and markers without personal data", async () => {
  const only = await freshTable();
  const account_id = randomUUID();
  await join(only, account_id, "ada@example.com");
  const id = await importInto(account_id, "test/emails/plain-text.eml");
  const other = await importInto(account_id, "infra/local/demo/welcome-html-with-logo.eml");

  const variables = { ACCOUNT: account_id, MESSAGE: other, EMAIL: "ada@example.com" };
  const output = await type("A request to erase", variables);

  const record = output.split("\n").find((line) => line.startsWith('{"record":"erasure"')) ?? "";
  expect(output).toMatch(`\ndeleted   message   ${account_id} ${id}   ada@example.com -> `);
  expect(record).toContain('"deleted":[{"kind":"member"');
  expect(record).not.toContain("@");
  expect(output).toMatch(/content removed .+\ndeleted .+/);
  const tombstone = ["content_digest", "expires_at", "pk", "sk"];
  const marker = ["deleted_at", "pk", "sk"];
  const left = await itemsIn(only);
  expect(left.map((item) => Object.keys(item).sort())).toEqual([marker, marker, tombstone, tombstone]);
});

test("A damaged message is restored under its id", async () => {
  const ACCOUNT = randomUUID();
  const FILE = pathOf(temporaryFolder(), "letter.eml");
  const head = "From: a@example.com\nTo: b@example.com\nMessage-ID: <1@x>\n\n";
  writeFileSync(FILE, head + randomBytes(300_000).toString("base64"));
  const MESSAGE = await importInto(ACCOUNT, FILE);
  await loseSegment({ account_id: ACCOUNT, id: MESSAGE }, 1);

  const output = await type("A spike of 5xx", { ACCOUNT, MESSAGE, FILE });

  expect(output).toMatch(new RegExp(`^content restored   ${MESSAGE}\nobject +message`));
});

test("An account that makes more requests than one key allows gets another", async () => {
  const ACCOUNT = randomUUID();
  await createKey(ACCOUNT);

  await type("A throttled table", { ACCOUNT });

  expect(await idsThatWork(ACCOUNT)).toHaveLength(2);
});

test("In a restored table, exactly the keys that no longer work in the old table are revoked", async () => {
  const ACCOUNT = randomUUID();
  const old = await freshTable();
  const keys = [await createKey(ACCOUNT), await createKey(ACCOUNT), await createKey(ACCOUNT)];
  const morning = await itemsIn(old);
  await admin(`revoke-api-key ${keys[0].id}`);
  await admin(`rotate-api-key ${keys[1].id} --grace 0`);
  const restored = await restore(morning);
  const [, , steps = ""] = blocksOf("A restored backup");

  const { status, stdout, stderr } = await paste(steps, { OLD: old.name, RESTORED: restored.name });

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/ 2 {2}keys revoked\n +0 {2}keys that expire earlier\n/);
  expect(await idsThatWork(ACCOUNT)).toEqual([keys[2].id]);
});
