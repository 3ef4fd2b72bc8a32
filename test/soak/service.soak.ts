/**
 * Ten minutes of load on a table and networks that fail. The service must lose nothing and leak nothing. In the end, the
 * table must match the responses. `MINUTES=1 npm run soak` takes one minute.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, inject, test } from "vitest";
import { freePort } from "../../infra/local/engine.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { memberKey, sha256 } from "../../lib/table/keys.ts";
import { listItems } from "../../lib/table/list.ts";
import { type Fault, startFaultyEngine } from "../harness/faulty-engine.ts";
import { startLocal } from "../harness/process.ts";
import { bearer, newKey, newMessage, table } from "../harness/service.ts";
import { type Account, afterAMoment, oneOf, type StoredMessage, startCallers } from "./load.ts";

const minutes = Number(process.env.MINUTES ?? 10);
const callers = 16;

/** Most calls fail during 4 seconds of every 20. Otherwise, one call in fifty fails. */
const faultOf = (operation: string): Fault | undefined => {
  const isBadTime = (performance.now() / 1000) % 20 < 4;
  const throttled = { error: "ThrottlingException" };
  const broken = { error: "InternalServerError", status: 500 };
  const CancellationReasons = ["TransactionConflict", "None", "None"].map((Code) => ({ Code }));
  const conflict = { error: "TransactionCanceledException", fields: { CancellationReasons } };
  const faults: Fault[] = ["cut before", "lost after", throttled, broken];
  if (operation === "TransactWriteItems") faults.push(conflict);
  return Math.random() < (isBadTime ? 0.7 : 0.02) ? oneOf(faults) : undefined;
};

const megabytesOf = (pid: number): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Starts `npm start`. `died` rejects if the process ends by itself. */
const start = async (variables: Record<string, string>) => {
  const { url, child, ended, said } = await startLocal(variables);
  const died = ended.then((status) => {
    throw new Error(`The service ended with ${status}: ${said()}`);
  });
  died.catch(() => {}); // The test ends the process in the end.
  return { url, pid: child.pid ?? 0, died };
};

/** Starts programs that disconnect from the table's port in the middle of a Scan. Returns the process and their count. */
const startLeavingPrograms = async () => {
  const port = await freePort();
  const own = await start({ DYNAMODB_PORT: String(port) });
  const client = new DynamoDBClient({ endpoint: `http://127.0.0.1:${port}` });
  const run = async (milliseconds: number): Promise<number> => {
    let calls = 0;
    for (const end = performance.now() + milliseconds; performance.now() < end; calls++) {
      const scan = new ScanCommand({ TableName: "email-api" });
      await client.send(scan, { abortSignal: afterAMoment() }).catch(() => {});
    }
    return calls;
  };
  return { ...own, run };
};

test(`${minutes} minutes of mixed load on a table that fails`, async () => {
  const engine = await startFaultyEngine();
  const accounts: Account[] = await Promise.all(Array.from({ length: 5 }, () => newKey()));
  const service = await start({
    ...inject("engine"),
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    TABLE_NAME: table.name,
    POWERTOOLS_LOG_LEVEL: "SILENT",
  });
  const programs = await startLeavingPrograms();
  const messages: StoredMessage[] = [];
  for (const bytes of [1_000, 50_000, 1_000_000, 5_000_000]) {
    const account = oneOf(accounts);
    const { account_id, secret } = account;
    const message = newMessage({ account_id });
    await storeMessage(table, message, Buffer.from(randomBytes(bytes).toString("base64")), Date.now());
    const path = `/v2/accounts/${account_id}/messages/${message.id}`;
    const response = await fetch(service.url + path, { headers: bearer(secret) });
    messages.push({ account, id: message.id, sha256: sha256(await response.text()) });
  }
  const load = startCallers(service.url, accounts, messages);
  const run = (milliseconds: number) => {
    const all = Promise.all([load.run(callers, milliseconds), programs.run(milliseconds)]);
    return Promise.race([all.then(([, calls]) => calls), service.died, programs.died]);
  };
  await run(10_000); // The first calls load code and open connections.
  const measure = () =>
    [service, programs].map(({ pid }) => ({ files: openFilesOf(pid), megabytes: megabytesOf(pid) }));
  const before = measure();

  engine.failWith(faultOf);
  const memory: number[] = [];
  let left = 0;
  for (let minute = 0; minute < minutes; minute++) {
    left += (await run(60_000)) ?? 0;
    memory.push(Math.round(megabytesOf(service.pid)));
    engine.calls.length = 0;
  }
  engine.failWith(() => undefined);
  await load.settle(callers);

  const after = measure();
  console.log({ requests: load.tally, "programs that left": left, memory, before, after });
  for (const account of accounts) {
    const added = load.uses.filter((use) => use.account === account && use.response?.status === 201);
    const stored = await listItems(table, memberKey(account.account_id, ""));
    const ids = added.map(({ response }) => JSON.parse(response?.body ?? "{}").id);
    expect(stored.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  }
  // Idle sockets to the engine stay open for a while.
  for (const [index, { files }] of after.entries()) expect(files).toBeLessThan((before[index]?.files ?? 0) + 100);
  const half = memory.length >> 1;
  const [early, late] = [memory.slice(0, half), memory.slice(half)].map((part) => Math.min(...part));
  if (half > 0) expect(late).toBeLessThan((early ?? 0) * 1.2);
  expect(load.tally["Get Message 200"]).toBeGreaterThan(0);
  expect(await fetch(programs.url).then(({ status }) => status)).toBe(200);
});
