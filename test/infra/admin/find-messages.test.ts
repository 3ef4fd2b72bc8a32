/** `find-messages` on tables of its own. */
import { randomUUID } from "node:crypto";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, test, vi } from "vitest";
import { applyChange } from "../../../lib/events/apply-events.ts";
import type { NewMessage } from "../../../lib/messages/new-message.ts";
import { commitMessage } from "../../../lib/messages/write/commit-message.ts";
import { draftMessage } from "../../../lib/messages/write/draft-message.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import type { Table } from "../../../lib/table/table.ts";
import { dayMilliseconds } from "../../../lib/time/clock.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { newMessage } from "../../harness/service.ts";
import { freshTable, itemsIn, join, restore } from "../../harness/tables.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const ada = "ada@example.org";
const ago = (days: number) => Date.now() - days * dayMilliseconds;

const store = async (table: Table, fields: Partial<NewMessage>, daysAgo = 0, raw: Buffer | null = null) => {
  const message = newMessage({ account_id: randomUUID(), recipient: ada, status: "accepted", ...fields });
  await storeMessage(table, message, raw, ago(daysAgo));
  return message.id;
};

const idsOf = async (args: string): Promise<string[]> => (await adminJson(`find-messages ${args}`)).map(({ id }) => id);

test("It lists what was sent to an address and what came from it, newest first, and nothing else", async () => {
  const table = await freshTable();
  const sent = await store(table, {}, 2, Buffer.from("Subject: Hello\r\n\r\nHello"));
  const received = await store(table, {
    direction: "incoming",
    sender: "Ada@EXAMPLE.org",
    recipient: "help@example.com",
  });
  await store(table, { sender: ada, recipient: "bo@example.org" });
  await store(table, { recipient: "ada+news@example.org" });
  await store(table, { direction: "incoming", sender: ada, is_bounce_notification: true });
  await store(table, { retain_until: new Date(ago(1)) }, 2);
  await join(table, randomUUID(), ada);

  expect(await idsOf('"ADA"@example.org')).toEqual([received, sent]);
  expect(await idsOf(`${ada} --since 1d`)).toEqual([received]);
  expect(await idsOf(`${ada} --until ${new Date(ago(1)).toISOString()}`)).toEqual([sent]);
  expect(await idsOf(`${ada} --limit 1`)).toEqual([received]);
  expect(await idsOf(`${ada} --limit 1000`)).toEqual([received, sent]);
});

test("The time of sending decides, so an import of today doesn't hide what was sent last week", async () => {
  const table = await freshTable();
  const queued = await store(table, { sent_at: new Date(ago(6)) }, 20);
  const old = await store(table, { sent_at: new Date(ago(400)), message_id: "<old@example.com>" });
  const sent_at = new Date(ago(3));
  const recent = await store(table, { sent_at });

  expect(await idsOf(`${ada} --since 7d`)).toEqual([recent, queued]);
  expect(await idsOf(`${ada} --since ${sent_at.toISOString()} --until ${sent_at.toISOString()}`)).toEqual([recent]);
  expect(await idsOf(`${ada} --until ${new Date(ago(300)).toISOString()}`)).toEqual([old]);
  for (const text of ["old@example.com", "<old@example.com>"]) {
    expect(await idsOf(`${ada} --message-id ${text}`)).toEqual([old]);
  }
});

test("--account finds one account's; a long subject is cut in the table, and is whole in --json", async () => {
  const table = await freshTable();
  const [account_id, subject] = [randomUUID(), `${"s".repeat(59)}🎉`]; // A character of two UTF-16 units is not halved.
  const sent_at = new Date(ago(1));
  const id = await store(table, { account_id, subject, sent_at });
  await store(table, {});

  const command = `find-messages ${ada} --account ${account_id}`;

  const row = { status: "accepted", direction: "outgoing", sent_at: sent_at.toISOString(), subject, account_id, id };
  const url = `/messages#${account_id}/${id}`;
  expect(await adminJson(command)).toEqual([{ updated_at: expect.any(String), ...row, url }]);
  expect((await admin(command)).stdout).toEqual([expect.any(String), expect.stringMatching(/ s{59}\ufffd /)]);
});

test("The status is the current one", async () => {
  const table = await freshTable();
  const account_id = randomUUID();
  const id = await store(table, { account_id, subject: "" });
  const time = "2026-11-20T12:00:00.000000000Z";
  const bounced = { type: "message.status" as const, id: "1", account_id, message: { id }, time, status: "bounced" };
  await applyChange(table, bounced, Date.now());

  const { stdout } = await admin(`find-messages ${ada} --status bounced`);

  expect(stdout[1]).toMatch(
    new RegExp(`^20\\S+ +bounced +outgoing +- +- +${account_id} +${id} +/messages#${account_id}/${id}$`),
  );
  expect((await admin(`find-messages ${ada} --status accepted`)).stdout).toEqual(["no message found"]);
});

test.each([
  [1, 1.5], // half a unit of it asks for the table's time
  [50, 27],
  [60, 27],
])("Of %i messages with an email, it reads 50 at most, for %i units", async (messages, units) => {
  const table = await freshTable();
  const raw = Buffer.from(`Subject: Hello\r\n\r\n${"Hello ".repeat(1250)}`);
  for (let count = 0; count < messages; count++) await store(table, {}, 0, raw);
  let consumed = 0;
  const { send } = DynamoDBDocumentClient.prototype;
  vi.spyOn(DynamoDBDocumentClient.prototype, "send").mockImplementation(async function (
    this: DynamoDBDocumentClient,
    ...call: unknown[]
  ) {
    const output = (await Reflect.apply(send, this, call)) as { ConsumedCapacity?: { CapacityUnits?: number } };
    consumed += output.ConsumedCapacity?.CapacityUnits ?? 0;
    return output as never;
  });

  expect(await idsOf(ada)).toHaveLength(Math.min(messages, 50));

  expect(consumed).toBeLessThanOrEqual(units);
});

test("A filter that matches nothing stops after 1,000 messages, and says so", async () => {
  const table = await freshTable();
  await store(table, {});
  const [head = { pk: "", sk: "" }] = (await itemsIn(table)).filter(({ sk }) => sk === "HEAD");
  await restore(Array.from({ length: 1001 }, () => ({ ...head, pk: `MESSAGE#${randomUUID()}#${randomUUID()}` })));

  const { stdout } = await admin(`find-messages ${ada} --status bounced`);

  expect(stdout).toEqual(["stopped after 1000 messages; --since or --account narrows the search"]);
});

test("A message that took the place of an expired one, which was to the person, too, is listed once", async () => {
  const table = await freshTable();
  const fields = { account_id: randomUUID(), recipient: "bo@example.org", retain_until: new Date(ago(1)) };
  const expired = newMessage(fields);
  await commitMessage(table, { ...draftMessage(expired, null, ago(2)), others: [ada] }, ago(2));
  await store(table, { ...expired, recipient: ada, retain_until: new Date(ago(-1)) });

  expect(await idsOf(ada)).toEqual([expired.id]);
});

test("A wrong address and a wrong time end with one line", async () => {
  const wrong = await admin("find-messages ada");
  const { stderr } = await admin(`find-messages ${ada} --since soon`);

  expect(wrong).toMatchObject({ status: 2, stderr: ["ada: not an email address"] });
  expect(stderr).toEqual([expect.stringContaining("It takes a time")]);
});

test("An imported email is found by everybody in To and Cc, at most 50 beside the recipient, and is deleted whole", async () => {
  const table = await freshTable();
  const account_id = randomUUID();
  const many = Array.from({ length: 60 }, (_, index) => `p${index}@example.org`);
  const twice = [...many, "P0@example.org", "Hello@EXAMPLE.com"].join(", ");
  const email = `From: hello@example.com\nTo: ${ada}, Bo <bo@example.org>\nCc: "Ada" <ADA@example.org>, ${twice}\n\nHi`;

  const imported = await admin(`import-message --account ${account_id} --domain ${randomUUID()} -`, { input: email });

  const importing = `import-message --account ${randomUUID()} --domain ${randomUUID()}`;
  const ofFolder = await admin(`${importing} ${folderOf({ "x.eml": email })}`, { terminal: true });

  const line = / {2}\(11 of its recipients can't find it: only 50 are indexed\)$/;
  for (const { stdout } of [imported, ofFolder]) expect(stdout[0]).toMatch(line);
  expect(await adminJson(`${importing} -`, email)).toMatchObject([{ is_new: false, unindexed: 11 }]);
  const found = await Promise.all(
    [ada, "bo@example.org", "p48@example.org", "p49@example.org"].map((person) =>
      idsOf(`${person} --account ${account_id}`),
    ),
  );
  expect(found).toEqual([[found[0]?.[0]], found[0], found[0], []]);
  await admin(`delete-message --account ${account_id} ${found[0]?.[0]}`);
  expect((await itemsIn(table)).filter(({ pk, person }) => person && pk.includes(account_id))).toEqual([]);
});
