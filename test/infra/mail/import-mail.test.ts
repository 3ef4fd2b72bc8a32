import { randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { type Imported, importMail } from "../../../infra/mail/import-mail.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { messagePartition } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { day, itemsOf, noon, table } from "../../harness/service.ts";
import { freshTable, itemsIn } from "../../harness/tables.ts";

/** Imports 50 emails into a table whose first calls of `failing` fail with these errors. */
const importWith = async (failingCommand: string, names: string[], reported: Imported[] = []) => {
  const errors = names.map((name) => Object.assign(new Error(name), { name }));
  const failing = interceptedTable(table, (command, proceed) => {
    const error = command.constructor.name === failingCommand ? errors.shift() : undefined;
    if (error) throw error;
    return proceed();
  });
  const mail = async function* () {
    for (let number = 0; number < 50; number++) {
      const line = "From x Sat Nov 21 15:00:00 2026\n";
      yield Buffer.from(`${line}From: a@b.example\nTo: c@d.example\n\n${number}\n\n`);
    }
  };
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const state = { direction: "incoming", status: "received" } as const;
  const fields = { ...ids, ...state, retain_until: new Date(noon + day) };
  const files = [{ path: "mail.mbox", bytes: 0, open: mail }];
  await importMail(failing, files, fields, noon, (imported) => reported.push(imported));
  return reported;
};

test.each(["GetCommand", "PutCommand"])("An import retries while the table is throttled: %s", async (command) => {
  const reported = await importWith(command, ["ThrottlingException", "ProvisionedThroughputExceededException"]);

  expect(reported.filter((imported) => "outcome" in imported && imported.outcome === "stored")).toHaveLength(50);
});

const letter = "From: a@b.example\nTo: c@d.example\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n\nHello\n";

test("The case of an account's id changes no message's id", async () => {
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const state = { direction: "incoming", status: "received", retain_until: new Date(noon + day) } as const;
  const files = [{ path: "letter.eml", bytes: 0, open: () => Readable.from([Buffer.from(letter)]) }];
  const reported: Imported[] = [];

  for (const account_id of [ids.account_id, ids.account_id.toUpperCase()]) {
    await importMail(table, files, { ...ids, ...state, account_id }, noon, (imported) => reported.push(imported));
  }

  const [first, second] = reported;
  expect(reported).toMatchObject([{ outcome: "stored" }, { outcome: "there already" }]);
  expect(first).toMatchObject({ id: (second as { id: string }).id });
});

test.each([
  ["a letter", letter, { sent_at: "2026-11-20T10:00:00.000Z", is_bounce_notification: false, sender: "a@b.example" }],
  [
    "a bounce notification",
    "From: <>\nTo: c@d.example\nContent-Type: multipart/report; report-type=delivery-status; boundary=x\n\n--x--\n",
    { is_bounce_notification: true, sender: "mailer-daemon@d.example" },
  ],
])("The email says its time, its sender and its kind, whatever else is given: %s", async (_, raw, expected) => {
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const state = { direction: "incoming", status: "received", retain_until: new Date(noon + day) } as const;
  const files = [{ path: "letter.eml", bytes: 0, open: () => Readable.from([Buffer.from(raw)]) }];
  const reported: Imported[] = [];

  await importMail(table, files, { ...ids, ...state, recipient: "x@y.example" }, noon, (one) => reported.push(one));

  const [{ id } = { id: "" }] = reported as { id: string }[];
  const [head] = (await itemsOf({ account_id: ids.account_id, id })).filter(({ sk }) => sk === "HEAD");
  expect(head).toMatchObject({ ...expected, recipient: "c@d.example" });
});

test("An email that was deleted stays deleted, also if DynamoDB leaves out its marker at first", async () => {
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const fields = {
    ...ids,
    direction: "incoming",
    status: "received",
    retain_until: new Date(noon + day),
  } as const;
  const open = () => Readable.from([Buffer.from("From: a@b.example\nTo: c@d.example\n\nHello\n")]);
  const importOn = async (on: Table) => {
    const reported: Imported[] = [];
    await importMail(on, [{ path: "letter.eml", bytes: 0, open }], fields, noon, (one) => reported.push(one));
    return reported;
  };
  const [stored] = await importOn(table);
  const message = { account_id: ids.account_id, id: (stored as { id: string }).id };
  await deleteMessage(table, message, noon);
  for (const { sk } of await itemsOf(message)) {
    const Key = { pk: messagePartition(message.account_id, message.id), sk };
    await table.client.send(new DeleteCommand({ TableName: table.name, Key })); // as TTL deletes the tombstone
  }
  let isThrottled = true;
  const busy = interceptedTable(table, async (command, proceed) => {
    if (command.constructor.name !== "BatchGetCommand" || !isThrottled) return proceed();
    isThrottled = false;
    return { Responses: {}, UnprocessedKeys: command.input.RequestItems };
  });

  expect(await importOn(busy)).toMatchObject([{ id: message.id, outcome: "deleted" }]);
});

test("An error of the table ends the import, and no email is blamed", async () => {
  const reported: Imported[] = [];

  await expect(importWith("PutCommand", ["ResourceNotFoundException"], reported)).rejects.toThrow();

  expect(reported.length).toBeLessThan(50);
  expect(reported.filter((imported) => "error" in imported)).toEqual([]);
});

test.each([1, 2])("A message that is deleted during its import stays deleted: before call %i", async (calls) => {
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const raw = "From: a@b.example\nTo: c@d.example\n\nHello\n";
  const state = { direction: "incoming", status: "received", retain_until: new Date(noon + day) } as const;
  const open = () => Readable.from([Buffer.from(raw)]);
  const importOn = async (on: Table) => {
    const reported: Imported[] = [];
    const files = [{ path: "letter.eml", bytes: 0, open }];
    await importMail(on, files, { ...ids, ...state }, noon, (imported) => reported.push(imported));
    return reported;
  };
  let left = calls;
  let message = { account_id: ids.account_id, id: "" };
  const deleting = interceptedTable(table, async (command, proceed) => {
    const { Key } = command.input as { Key?: { pk: string } };
    message = { ...message, id: Key?.pk.split("#")[2] ?? message.id };
    if (left-- === 0) await deleteMessage(table, message, noon, { force: true });
    return proceed();
  });

  const reported = await importOn(deleting);

  expect(reported).toMatchObject([{ outcome: "deleted" }]);
  expect(await itemsOf(message)).toHaveLength(1);
  expect(await importOn(table)).toMatchObject([{ outcome: "deleted" }]);
});

test("What an interrupted import with another retention time has left is deleted by the next one", async () => {
  const table = await freshTable();
  const email = Buffer.concat([Buffer.from("From: a@example.com\nTo: b@example.org\n\n"), randomBytes(300_000)]);
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const fields = { ...ids, direction: "outgoing", status: "sent" } as const;
  const files = [
    {
      path: "a.eml",
      bytes: email.length,
      open: async function* () {
        yield email;
      },
    },
  ];
  const run = (on: Table, days: number) =>
    importMail(on, files, { ...fields, retain_until: new Date(noon + days * day) }, noon, () => {});
  const cut = interceptedTable(table, ({ constructor: { name } }, proceed) => {
    if (name === "TransactWriteCommand") throw new Error("power cut");
    return proceed();
  });

  await expect(run(cut, 1)).rejects.toThrow("power cut");
  await run(table, 2);

  const segments = (await itemsIn(table)).filter(({ sk }) => sk.startsWith("SEGMENT"));
  expect(new Set(segments.map(({ expires_at }) => expires_at))).toEqual(new Set([(noon + 2 * day) / 1000]));
});

test("The report counts the emails of each mbox from one, and names a file of one email by its path", async () => {
  const email = "From: a@b.example\nTo: c@d.example\n\nHello\n\n";
  const line = "From x Sat Nov 21 15:00:00 2026\n";
  const contents = { "a.mbox": `${line}${email}${line}${email}`, "letter.eml": email, "b.mbox": `${line}${email}` };
  const files = Object.entries(contents).map(([path, content]) => ({
    path,
    bytes: 0,
    open: () => Readable.from([Buffer.from(content)]),
  }));
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const state = { direction: "incoming", status: "received", retain_until: new Date(noon + day) } as const;
  const reported: Imported[] = [];

  await importMail(table, files, { ...ids, ...state }, noon, (imported) => reported.push(imported));

  expect(reported.map(({ source }) => source).sort()).toEqual(["a.mbox:1", "a.mbox:2", "b.mbox:1", "letter.eml"]);
});
