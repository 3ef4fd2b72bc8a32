import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, day, newKey, newMessage, startService, table } from "../../harness/service.ts";

/** A message of an account of its own, stored unless the test does that; and how to read it. */
const message = async ({ isStored = true, lasts = day } = {}) => {
  const { account_id, secret } = await newKey();
  const retain_until = new Date(Date.now() + lasts).toISOString();
  const fields = newMessage({ account_id, retain_until });
  if (isStored) await storeMessage(table, fields, null, Date.now());
  const url = await startService(Date.now);
  const { account_id: _, ...stored } = fields;
  return {
    event: (type: string, id: string, more: object = {}) =>
      JSON.stringify({ type, id, account_id, message: { id: fields.id }, ...more }),
    stored: (raw_email: string | null) =>
      JSON.stringify({ type: "message.stored", id: "stored", account_id, message: stored, raw_email }),
    get: () => call(`${url}/v2/accounts/${account_id}/messages/${fields.id}`, { headers: bearer(secret) }),
  };
};

const attempt = { time: new Date(Date.now()).toISOString(), status: "delivered" };

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
};

const record = (lines: string[], options = "") =>
  admin(`record-events ${options} -`, { input: lines.join("\n") });

test("counts each event once, however often it comes, and the next Get Message shows it", async () => {
  const { event, get } = await message();
  const lines = [
    event("message.opened", "1"),
    "",
    event("message.opened", "2"),
    event("message.opened", "1"),
  ];

  const first = await record(lines);
  const again = await record(lines);

  expect(first).toMatchObject({ status: 0, stdout: ["2 recorded, 1 repeated"], stderr: [] });
  expect(again).toMatchObject({ status: 0, stdout: ["3 repeated"], stderr: [] });
  expect(await (await get()).json()).toMatchObject({ open_count: 2 });
});

test("A line ends where a line of a file ends, and nowhere within a text", async () => {
  const { event, get } = await message();
  const log = "one\u2028two\u2029three\u0085four\vfive";
  const lines = [event("message.opened", "1"), event("message.delivery_attempt", "2", { ...attempt, log })];

  const { stdout, stderr } = await admin("record-events -", { input: lines.join("\r\n") });

  expect({ stdout, stderr }).toEqual({ stdout: ["2 recorded"], stderr: [] });
  expect(await (await get()).json()).toMatchObject({ open_count: 1, delivery_attempts: [{ log }] });
});

test("--json prints what became of each event", async () => {
  const { event } = await message();

  const printed = await adminJson("record-events -", event("message.clicked", "click 1"));

  expect(printed).toEqual([{ source: "-:1", id: "click 1", type: "message.clicked", outcome: "recorded" }]);
});

test("records a message with its email, which a key of --emails names, and what comes before it", async () => {
  const { event, stored, get } = await message({ isStored: false });
  const emails = folder();
  mkdirSync(join(emails, "2026"));
  writeFileSync(join(emails, "2026/1.eml"), "Subject: Hello\r\n\r\nHello");
  const file = join(emails, "events.jsonl");
  writeFileSync(file, [event("message.opened", "1"), stored("2026/1.eml")].join("\r\n"));

  const { status, stdout, stderr } = await admin(["record-events", "--emails", emails, file]);

  expect([status, stdout, stderr]).toEqual([0, ["2 recorded"], []]);
  expect(await (await get()).json()).toMatchObject({ open_count: 1, content: "Subject: Hello\r\n\r\nHello" });
});

test("names each line that it can't record, and why; the others are recorded all the same", async () => {
  const { event, get } = await message();
  const missing = await message({ isStored: false });

  const { status, stdout, stderr } = await record([
    "{",
    event("message.printed", "1"),
    event("message.opened", "2"),
    event("message.clicked", "2"),
    missing.event("message.opened", "3"),
    missing.stored("1.eml"),
  ]);

  expect(status).toBe(1);
  expect(stdout).toEqual(["1 recorded, 5 failed"]);
  expect(stderr.toSorted()).toEqual([
    "-:1: it is not JSON",
    expect.stringMatching(/^-:2: type must be one of message\.stored, /),
    expect.stringMatching(/^-:[34]: its id is taken by another event of the account$/),
    "-:5: its message is not there yet",
    "-:6: --emails names the folder of its raw email",
  ]);
  const { open_count, click_count } = (await (await get()).json()) as Record<string, number>;
  expect([open_count, click_count].toSorted()).toEqual([0, 1]);
});

test("drops what happens to a message that has expired, and counts it", async () => {
  const { event } = await message({ lasts: -1000 });

  const { status, stdout } = await record([event("message.opened", "1")]);

  expect([status, stdout]).toEqual([0, ["1 expired"]]);
});

test("refuses a raw email that is not there, too large, or outside of the folder", async () => {
  const { stored, get } = await message({ isStored: false });
  const emails = folder();
  writeFileSync(join(emails, "large.eml"), "");
  truncateSync(join(emails, "large.eml"), 40 * 1024 * 1024 + 1);

  const { status, stderr } = await record(
    ["none.eml", "large.eml", "../x.eml"].map(stored),
    `--emails ${emails}`,
  );

  expect(status).toBe(1);
  expect(stderr.toSorted()).toEqual([
    "-:1: its raw email can't be read: ENOENT",
    "-:2: the email has 41943041 bytes: at most 41943040 (40 MiB) are kept",
    "-:3: its raw email is outside of the folder",
  ]);
  expect((await get()).status).toBe(404);
});

test("ends when a file is not there", async () => {
  const { status, stderr } = await admin(`record-events ${randomUUID()}.jsonl`);

  expect(status).toBe(1);
  expect(stderr).toEqual([expect.stringMatching(/^ENOENT: no such file/)]);
});
