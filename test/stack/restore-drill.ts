/**
 * A day of operation on a deployed stack. In the middle of the day, its table is copied, as AWS restores it later. The
 * commands on keys, messages and tables are the runbook's own.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, paginateScan, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { createTable } from "../../infra/local/create-table.ts";
import { messagePartition, personIndex, personKey } from "../../lib/table/keys.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { runbookBlocksOf } from "./readme.ts";

type Run = (command: string) => Promise<string>;

/** Pastes a block of the runbook with its variables set, which the operator's shell then forgets again. */
const paste = (run: Run, block = "", variables: Record<string, string> = {}): Promise<string> => {
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  return run(`(${lines.join("; ")}\n${block})`);
};

const member = "bob@example.org";
/** Not a user, because erase-person waits a minute after it has deleted one; and in no other test, because it deletes all of hers. */
const recipient = "heidi@example.org";
const names = ["kept", "deleted", "emptied", "erased", "damaged"] as const;
type Name = (typeof names)[number] | "late";

/** Random text, so that the content has several segments. */
const emailOf = (name: Name): string =>
  `From: hello@example.com\nTo: ${name === "erased" ? recipient : "ada@example.org"}\nSubject: ${name}\n` +
  `Message-ID: <${name}@example.com>\n\n${randomBytes(200_000).toString("base64")}\n`;

/** Defines the tests of the day. They leave $RESTORED in the shell: a copy of the table, made ready. */
export const restoreDrill = (run: Run) => {
  const account = randomUUID();
  const folder = temporaryFolder();
  const fileOf = (name: Name) => join(folder, `${name}.eml`);
  const keys: Record<"leaked" | "replaced" | "valid", string> = { leaked: "", replaced: "", valid: "" };
  const ids = {} as Record<Name, string>;
  const dynamodb = () => DynamoDBDocumentClient.from(new DynamoDBClient());

  const admin = async (command: string) => {
    const printed = await run(`npm run -s admin -- ${command} --account ${account} --json`);
    return printed.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  };
  const get = async (name: Name, key: keyof typeof keys = "valid") => {
    const headers = `-H "Authorization: Bearer ${keys[key]}"`;
    const url = `"$API_URL/v2/accounts/${account}/messages/${ids[name]}"`;
    const [body = "", status] = (await run(`curl -s --compressed -w '\\n%{http_code}' ${url} ${headers}`)).split(
      /\n(?=\d+$)/,
    );
    return { status: Number(status), body: JSON.parse(body) };
  };
  const add = (email: string) =>
    run(
      `curl -s --fail "$API_URL/v2/accounts/${account}/members" -H "Authorization: Bearer ${keys.valid}" ` +
        `-H "Content-Type: application/json" -d '{"email":"${email}","role":"Analyst"}'`,
    );

  test("Morning: keys, members and messages are created", async () => {
    for (const name of Object.keys(keys) as (keyof typeof keys)[]) {
      const [{ api_key }] = await admin("create-api-key --scope '*'");
      keys[name] = api_key;
    }
    for (const name of names) writeFileSync(fileOf(name), emailOf(name));
    for (const { id, file } of await admin(`import-message --domain ${randomUUID()} ${folder}`)) {
      const name = names.find((one) => file === fileOf(one));
      if (name) ids[name] = id;
    }
    await add(member);
    expect(await get("deleted", "leaked")).toMatchObject({ status: 200 });
  });

  test("Noon: the table is copied, as a restore to this second will bring it back", async () => {
    const [TableName = "", restored] = [(await run("printf %s $TABLE_NAME")).trim(), `restored-${randomUUID()}`];
    await createTable(restored);
    const client = dynamodb();
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      await Promise.all(Items.map((Item) => client.send(new PutCommand({ TableName: restored, Item }))));
    }
    await run(`OLD=$TABLE_NAME RESTORED=${restored}`);
  });

  test("A leaked key is revoked, and another one replaced", async () => {
    const [revoke, rotate] = runbookBlocksOf("A leaked key");

    await paste(run, revoke, { LEAK: `curl -H "Authorization: Bearer ${keys.leaked}"` });
    await paste(run, rotate, { LEAK: keys.replaced });

    expect(await get("kept", "leaked")).toMatchObject({ status: 401 });
    expect(await get("kept", "replaced")).toMatchObject({ status: 401 });
  });

  /** Kills an import as soon as the index has the first segment of its email. */
  const killImport = async (): Promise<void> => {
    const [email, pid] = [join(folder, "killed.eml"), join(folder, "import.pid")];
    const body = randomBytes(20_000_000).toString("base64");
    writeFileSync(email, `From: hello@example.com\nTo: ${recipient}\nMessage-ID: <killed@example.com>\n\n${body}\n`);
    const options = `--account ${account} --domain ${randomUUID()}`;
    const importing = run(
      `node infra/admin/main.ts import-message ${options} ${email} & echo $! > ${pid}; wait $! || true`,
    );
    const TableName = (await run("printf %s $TABLE_NAME")).trim();
    const query = new QueryCommand({
      TableName,
      IndexName: personIndex.name,
      KeyConditionExpression: "person = :person AND begins_with(created_at, :leftover)",
      ExpressionAttributeValues: { ":person": personKey(recipient), ":leftover": "LEFTOVER#" },
    });
    const before = (await dynamodb().send(query)).Count ?? 0;
    while (((await dynamodb().send(query)).Count ?? 0) === before) await sleep(20);
    process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
    await importing;
  };

  test("A person is erased with what a killed import left, and single data are", async () => {
    await killImport();
    const [person, , single] = runbookBlocksOf("A request to erase");

    await paste(run, person, { EMAIL: recipient });
    const record = JSON.parse(await run("tail -1 erasure.jsonl"));
    await admin(`remove-content ${ids.emptied}`);
    await paste(run, single, { ACCOUNT: account, MESSAGE: ids.deleted });
    await admin(`remove-member ${member}`);

    expect(record.deleted).toEqual(
      expect.arrayContaining([
        { kind: "message", account_id: account, id: ids.erased },
        { kind: "unfinished", account_id: account, id: expect.any(String) },
      ]),
    );
    expect(record.left).toEqual([]);
    expect(await get("erased")).toMatchObject({ status: 404 });
    expect(await get("deleted")).toMatchObject({ status: 404 });
    expect(await get("emptied")).toMatchObject({ status: 200, body: { content: null } });
  });

  test("A damaged message is restored under its id", async () => {
    const TableName = (await run("printf %s $TABLE_NAME")).trim();
    const before = await get("damaged");
    const { Items = [] } = await dynamodb().send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :segment)",
        ExpressionAttributeValues: { ":pk": messagePartition(account, ids.damaged), ":segment": "SEGMENT#" },
      }),
    );
    const [{ pk, sk } = {}] = Items;
    await dynamodb().send(new DeleteCommand({ TableName, Key: { pk, sk } }));
    expect(await get("damaged")).toMatchObject({ status: 500 });
    const variables = { ACCOUNT: account, MESSAGE: ids.damaged, FILE: fileOf("damaged") };

    const [restore] = runbookBlocksOf("A spike of 5xx").filter((block) => block.includes("restore-content"));
    await paste(run, restore, variables);

    expect(before.status).toBe(200);
    expect(await get("damaged")).toEqual(before);
  });

  test("Afternoon: a message arrives that the copy can't have", async () => {
    writeFileSync(fileOf("late"), emailOf("late"));
    const [{ id }] = await admin(`import-message --domain ${randomUUID()} ${fileOf("late")}`);
    ids.late = id;
    expect(await get("late")).toMatchObject({ status: 200 });
  });

  test("Evening: the copy loses what the table lost since noon, and gets what only the table has", async () => {
    const [, , prepare, copy] = runbookBlocksOf("A restored backup");

    const first = await paste(run, prepare);
    const copied = await paste(run, copy);
    const again = await paste(run, prepare);

    const counts = (output: string) => [...output.matchAll(/^ +(\d+) {2}\w/gm)].map(([, count]) => Number(count));
    const onlyInOld = 2; // The replaced key's successor, and the message of the afternoon.
    expect(counts(first)).toEqual([2, 0, 1, 0, 2, 1, 1, 0, 0, onlyInOld]);
    expect(counts(copied)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, onlyInOld]);
    expect(counts(again)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  /** To be called while the shell's $API_URL serves the copy. */
  const expectRestored = async (): Promise<void> => {
    expect(await get("kept", "leaked")).toMatchObject({ status: 401 });
    expect(await get("kept", "replaced")).toMatchObject({ status: 401 });
    for (const name of ["deleted", "erased"] as const) expect(await get(name)).toMatchObject({ status: 404 });
    expect(await get("emptied")).toMatchObject({ status: 200, body: { content: null } });
    for (const name of ["kept", "damaged", "late"] as const) expect(await get(name)).toMatchObject({ status: 200 });
    expect(await run(`TABLE_NAME=$RESTORED npm run -s admin -- list-members --account ${account}`)).toBe("");
  };
  return { expectRestored };
};
