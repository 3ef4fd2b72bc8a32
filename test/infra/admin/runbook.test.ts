/** The steps of the runbook that need no AWS, run as they stand there. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";
import { createTable } from "../../../infra/local/create-table.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { startAccount } from "../../harness/members.ts";
import { run } from "../../harness/process.ts";
import { itemsOf, loseSegment, table } from "../../harness/service.ts";

const runbook = readFileSync(new URL("../../../infra/admin/README.md", import.meta.url), "utf8");

/** npm would start two more processes for each command. */
const withoutNpm = 'npm() { shift 4; node infra/admin/main.ts "$@"; }';

/** The shell commands of a section. */
const blocksOf = (section: string): string[] => {
  const [, text = ""] = runbook.split(`\n## ${section}\n`);
  const [thisSection = ""] = text.split("\n## ");
  return [...thisSection.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
};

/** Runs commands as a person pastes them; the first that fails ends them. */
const paste = (commands: string, variables: Record<string, string>) =>
  run(["set -e", withoutNpm, commands].join("\n"), {
    variables: { ...inject("engine"), TABLE_NAME: table.name, ...variables },
  });

afterEach(() => vi.unstubAllEnvs());

const createKey = async (account: string) => (await adminJson(`create-api-key --account ${account}`))[0];
const idsThatWork = async (account: string): Promise<string[]> => {
  const keys = await adminJson(`list-api-keys --account ${account}`);
  return keys.filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id);
};

const emailFile = (raw: string | Buffer): string => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "letter.eml"), raw);
  return join(folder, "letter.eml");
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

test("A request to erase leaves nothing but a mark that there was a message", async () => {
  const { account_id, add } = await startAccount();
  await add({ email: "ada@example.com", role: "Analyst" });
  const id = await importInto(account_id, "test/emails/plain-text.eml");

  const { status, stdout } = await paste(blocksOf("A request to erase").join(""), {
    ACCOUNT: account_id,
    MESSAGE: id,
    EMAIL: "ada@example.com",
  });

  expect(status).toBe(0);
  expect(stdout).toMatch(/content removed .+\ndeleted .+\nremoved {3}ada@example.com\n$/);
  const [mark, ...more] = await itemsOf({ account_id, id });
  expect(Object.keys(mark ?? {}).sort()).toEqual(["content_digest", "expires_at", "pk", "sk"]);
  expect(more).toEqual([]);
  expect(await adminJson(`list-members --account ${account_id}`)).toEqual([]);
});

test("A damaged message is stored again", async () => {
  const account = randomUUID();
  const head = "From: a@example.com\nTo: b@example.com\nMessage-ID: <1@x>\n\n";
  const file = emailFile(Buffer.concat([Buffer.from(head), randomBytes(300_000)]));
  const id = await importInto(account, file);
  await loseSegment({ account_id: account, id }, 1);
  const damaged = await admin(`show-message ${id} --account ${account}`);

  const { status, stderr } = await paste(blocksOf("A spike of 5xx").join(""), {
    ACCOUNT: account,
    DOMAIN: randomUUID(),
    MESSAGE: id,
    FILE: file,
  });

  expect(damaged.stderr).toEqual([expect.stringMatching(/^A segment .* is missing$/)]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect((await admin(`show-message ${id} --account ${account}`)).status).toBe(0);
});

test("An account that makes more requests than one key allows gets another", async () => {
  const account = randomUUID();
  await createKey(account);

  const { status } = await paste(blocksOf("A throttled table").join(""), { ACCOUNT: account });

  expect(status).toBe(0);
  expect(await idsThatWork(account)).toHaveLength(2);
});

test("In a restored table, the keys end that have ended since", async () => {
  const account = randomUUID();
  const restored = `restored-${randomUUID()}`;
  await createTable(restored);
  const keys = [await createKey(account), await createKey(account), await createKey(account)];
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table.name })) {
    for (const Item of Items) await table.client.send(new PutCommand({ TableName: restored, Item }));
  }
  await admin(`revoke-api-key ${keys[0].id}`);
  await admin(`rotate-api-key ${keys[1].id} --grace 0`);

  const { status, stderr } = await paste(blocksOf("A restored backup").join(""), {
    ACCOUNT: account,
    OLD: table.name,
    RESTORED: restored,
  });

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  vi.stubEnv("TABLE_NAME", restored);
  expect(await idsThatWork(account)).toEqual([keys[2].id]);
});
