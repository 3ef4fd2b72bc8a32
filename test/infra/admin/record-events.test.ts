import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { expect, test } from "vitest";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptAll } from "../../harness/intercepted-table.ts";
import { pipelineMessage } from "../../harness/pipeline.ts";
import { day, table } from "../../harness/service.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

/** A message that is stored, unless the test stores it. */
const message = async ({ isStored = true } = {}) => {
  const { event, fields, ...rest } = await pipelineMessage({ retain_until: new Date(Date.now() + day) });
  if (isStored) await storeMessage(table, fields, null, Date.now());
  return {
    ...rest,
    event: (type: string, id: string, more: object = {}) => event(type, { id, ...more }),
    get: () => rest.get(Date.now),
  };
};

const attempt = { time: new Date(Date.now()).toISOString(), status: "delivered" };

const record = (lines: string[], options = "") => admin(`record-events ${options} -`, { input: lines.join("\n") });

test("An event is recorded once, however often it occurs, and the next Get Message shows it", async () => {
  const { event, get } = await message();
  const lines = ["1", "", "2", "1"].map((id) => id && event("message.opened", id));

  const first = await record(lines);
  const again = await record(lines);

  expect(first).toMatchObject({ status: 0, stdout: ["2 recorded, 1 repeated"], stderr: [] });
  expect(again).toMatchObject({ status: 0, stdout: ["3 repeated"], stderr: [] });
  expect(await (await get()).json()).toMatchObject({ open_count: 2 });
});

test("A line ends at a line feed only, and not within a text", async () => {
  const { event, get } = await message();
  const log = "one\u2028two\u2029three\u0085four\vfive";
  const lines = [event("message.opened", "1"), event("message.delivery_attempt", "2", { ...attempt, log })];

  const ran = await admin("record-events -", { input: lines.join("\r\n") });

  expect(ran).toMatchObject({ stdout: ["2 recorded"], stderr: [] });
  expect(await (await get()).json()).toMatchObject({ open_count: 1, delivery_attempts: [{ log }] });
});

test("A line may be longer than what is read at once", async () => {
  const { event } = await message();
  const file = join(temporaryFolder(), "events.jsonl");
  const padding = " ".repeat(200_000);
  writeFileSync(file, ["1", "2"].map((id) => `${padding}${event("message.opened", id)}${padding}\n`).join(""));

  expect(await admin(`record-events ${file}`)).toMatchObject({ status: 0, stdout: ["2 recorded"], stderr: [] });
});

test("On a terminal, a bar shows how much of the file is recorded, and then goes", async () => {
  const { event } = await message();
  const file = join(temporaryFolder(), "events.jsonl");
  writeFileSync(file, event("message.opened", "1"));

  const { stdout, terminal } = await admin(`record-events ${file}`, { terminal: true });

  expect(stdout).toEqual(["1 recorded"]);
  expect(terminal).toMatch(/█{30} 100% {2}1 events .*\r.\[2K$/);
});

test("Without any event, it says so", async () => {
  expect(await record(["", " "])).toMatchObject({ status: 0, stdout: ["no events found"], stderr: [] });
});

test("If the table fails, the command ends with its error, and can be run again", async () => {
  const { event } = await message();
  const { end } = interceptAll(({ constructor: { name } }, proceed) => {
    if (/^(Put|Update|TransactWrite)Command$/.test(name)) throw new Error("power cut");
    return proceed();
  });

  const failed = await record([event("message.opened", "1")]);
  end();
  const again = await record([event("message.opened", "1")]);

  expect(failed).toMatchObject({ status: 1, stdout: [], stderr: ["power cut"] });
  expect(again).toMatchObject({ status: 0, stdout: ["1 recorded"] });
});

test("A file may begin with a byte order mark, and a line that is not UTF-8 fails alone", async () => {
  const { event, get } = await message();
  const log = event("message.delivery_attempt", "latin1", { ...attempt, log: "Gr\u00fc\u00dfe" });
  const file = join(temporaryFolder(), "events.jsonl");
  const bytes = [
    `\ufeff${event("message.opened", "1")}\r\n`,
    Buffer.from(log, "latin1"),
    `\n\r\n${event("message.clicked", "2")}`,
  ];
  writeFileSync(file, Buffer.concat(bytes.map((part) => Buffer.from(part as string))));

  const ran = await admin(`record-events ${file}`);

  expect(ran).toMatchObject({ status: 1, stdout: ["2 recorded, 1 failed"], stderr: [`${file}:2: it is not UTF-8`] });
  expect(await (await get()).json()).toMatchObject({ open_count: 1, click_count: 1, num_attempts: 0 });
});

test("--json prints the outcome of each event", async () => {
  const { event } = await message();

  const printed = await adminJson("record-events -", event("message.clicked", "click 1"));

  expect(printed).toEqual([{ source: "-:1", id: "click 1", type: "message.clicked", outcome: "recorded" }]);
});

test("A message is stored with the email of its key, and an earlier event is recorded", async () => {
  const { event, stored, get } = await message({ isStored: false });
  const emails = temporaryFolder();
  mkdirSync(join(emails, "2026"));
  writeFileSync(join(emails, "2026/1.eml"), "Subject: Hello\r\n\r\nHello");
  const file = join(emails, "events.jsonl");
  writeFileSync(file, [event("message.opened", "1"), stored("2026/1.eml")].join("\r\n"));

  const { status, stdout, stderr } = await admin(["record-events", "--emails", emails, file]);

  expect([status, stdout, stderr]).toEqual([0, ["2 recorded"], []]);
  expect(await (await get()).json()).toMatchObject({ open_count: 1, content: "Subject: Hello\r\n\r\nHello" });
});

test("Each line that cannot be recorded is reported, and the others are recorded", async () => {
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
    "-:5: its message is not stored yet",
    "-:6: its raw email requires --emails",
  ]);
  const { open_count, click_count } = (await (await get()).json()) as Record<string, number>;
  expect([open_count, click_count].toSorted()).toEqual([0, 1]);
});

test.each<[string, (file: string) => { emails: string; key: string }]>([
  [
    "the root of the file system, whose path ends with a separator",
    (file) => ({ emails: parse(file).root, key: file }),
  ],
  [
    "a link to the folder",
    (file) => {
      const emails = join(temporaryFolder(), "link");
      symlinkSync(dirname(file), emails);
      return { emails, key: basename(file) };
    },
  ],
  [
    "a folder with a file whose name begins with two dots",
    (file) => {
      renameSync(file, join(dirname(file), "..1.eml"));
      return { emails: dirname(file), key: "..1.eml" };
    },
  ],
])("--emails may name %s", async (_, name) => {
  const { stored, get } = await message({ isStored: false });
  const file = join(realpathSync(temporaryFolder()), "1.eml");
  writeFileSync(file, "Subject: Hello\r\n\r\nHello");
  const { emails, key } = name(file);

  const { status, stderr } = await admin(["record-events", "--emails", emails, "-"], { input: stored(key) });

  expect([status, stderr]).toEqual([0, []]);
  expect(await (await get()).json()).toMatchObject({ content: "Subject: Hello\r\n\r\nHello" });
});

test("A raw email that is missing, too large, outside of the folder or not a file is rejected", async () => {
  const { stored, get } = await message({ isStored: false });
  const emails = temporaryFolder();
  writeFileSync(join(emails, "large.eml"), "");
  truncateSync(join(emails, "large.eml"), 40 * 1024 * 1024 + 1);
  mkdirSync(join(emails, "folder.eml"));
  execFileSync("mkfifo", [join(emails, "pipe.eml")]);
  const outside = temporaryFolder();
  writeFileSync(join(outside, "secret.eml"), "");
  symlinkSync(join(outside, "secret.eml"), join(emails, "link.eml"));

  const { status, stderr } = await record(
    ["none.eml", "large.eml", "../", "link.eml", "pipe.eml", "folder.eml"].map((key) => stored(key)),
    `--emails ${emails}`,
  );

  expect(status).toBe(1);
  expect(stderr.toSorted()).toEqual([
    "-:1: its raw email can't be read: no such file or directory",
    "-:2: the email has 41943041 bytes, but at most 41943040 (40 MiB) are stored",
    "-:3: its raw email is outside of the folder",
    "-:4: its raw email is outside of the folder",
    "-:5: its raw email is not a file",
    "-:6: its raw email is not a file",
  ]);
  expect((await get()).status).toBe(404);
});

test("A file that cannot be read is reported, and the others are recorded", async () => {
  const { event } = await message();

  const ran = await admin("record-events /no/such -", { input: event("message.opened", "1") });

  const stderr = ["/no/such: no such file or directory"];
  expect(ran).toMatchObject({ status: 1, stdout: ["1 recorded, 1 failed"], stderr });
});
