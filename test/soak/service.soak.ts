/**
 * What ten minutes of callers, networks and a table in trouble do to the service: nothing is lost, nothing leaks, and in
 * the end the table holds what the answers said. `MINUTES=1 npm run soak` takes one.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { storeMessage } from "../../lib/messages/store-message.ts";
import { memberKey } from "../../lib/table/keys.ts";
import { listItems } from "../../lib/table/list.ts";
import { type Fault, startFaultyEngine } from "../harness/faulty-engine.ts";
import { startLocal } from "../harness/process.ts";
import { newKey, newMessage, table } from "../harness/service.ts";
import { type Account, type StoredMessage, sha256, startCallers } from "./load.ts";

const minutes = Number(process.env.MINUTES ?? 10);
const callers = 16;

/** For 4 seconds of every 20 most calls fail, else one in fifty; each in another way. */
const misfortune = (operation: string): Fault | undefined => {
  const isBadTime = (performance.now() / 1000) % 20 < 4;
  const throttled = { error: "ThrottlingException" };
  const broken = { error: "InternalServerError", status: 500 };
  const conflict = {
    error: "TransactionCanceledException",
    fields: { CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }, { Code: "None" }] },
  };
  const faults: Fault[] = ["cut before", "lost after", throttled, broken];
  if (operation === "TransactWriteItems") faults.push(conflict);
  return Math.random() < (isBadTime ? 0.7 : 0.02)
    ? faults[Math.floor(Math.random() * faults.length)]
    : undefined;
};

const megabytesOf = (pid: number): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

test(`${minutes} minutes of mixed load on a table in trouble`, async () => {
  const engine = await startFaultyEngine();
  const now = Date.now();
  const accounts: Account[] = await Promise.all(Array.from({ length: 5 }, () => newKey()));
  const messages: StoredMessage[] = [];
  for (const [index, bytes] of [1_000, 50_000, 1_000_000, 5_000_000].entries()) {
    const { account_id } = accounts[index] as Account;
    const message = newMessage({ account_id });
    await storeMessage(table, message, Buffer.from(randomBytes(bytes).toString("base64")), now);
    messages.push({ account: index, id: message.id, sha256: "" });
  }
  const { AWS_REGION = "", AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
  const credentials = { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  const { url, child, ended } = await startLocal({
    ...credentials,
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    TABLE_NAME: table.name,
    POWERTOOLS_LOG_LEVEL: "SILENT",
  });
  const pid = child.pid ?? 0;
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const died = ended.then((status) => {
    throw new Error(`The service ended with ${status}: ${said}`);
  });
  died.catch(() => {}); // in the end it is stopped
  for (const message of messages) {
    const { account_id, secret } = accounts[message.account] as Account;
    const response = await fetch(`${url}/v2/accounts/${account_id}/messages/${message.id}`, {
      headers: { Authorization: `Bearer ${secret}` },
    });
    message.sha256 = sha256(await response.text());
  }
  const load = startCallers(url, accounts, messages);
  await Promise.race([load.run(callers, 10_000), died]); // until everything has been loaded once
  const before = { files: openFilesOf(pid), megabytes: megabytesOf(pid) };

  engine.failWith(misfortune);
  const memory: number[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    await Promise.race([load.run(callers, 60_000), died]);
    memory.push(Math.round(megabytesOf(pid)));
    engine.calls.length = 0;
  }
  engine.failWith(() => undefined);
  await load.settle(callers);

  console.log({ requests: load.tally, memory, before });
  for (const [index, { account_id }] of accounts.entries()) {
    const answers = load.uses.filter(({ account, answer }) => account === index && answer?.status === 201);
    const stored = await listItems(table, memberKey(account_id, ""));
    const ids = answers.map(({ answer }) => JSON.parse(answer?.body ?? "{}").id);
    expect(stored.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  }
  // Sockets to the engine stay open for a while; none of them is a caller's or a message's.
  expect(openFilesOf(pid)).toBeLessThan(before.files + 100);
  const half = memory.length >> 1;
  const [early, late] = [memory.slice(0, half), memory.slice(half)].map((part) => Math.min(...part));
  if (half > 0) expect(late).toBeLessThan((early ?? 0) * 1.2);
  expect(load.tally["Get Message 200"]).toBeGreaterThan(0);
});
