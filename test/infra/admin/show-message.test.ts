import { createHash, randomBytes, randomUUID } from "node:crypto";
import { expect, inject, test, vi } from "vitest";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { isSegmentSort } from "../../../lib/table/keys.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptAll } from "../../harness/intercepted-table.ts";
import { loseSegment, newMessage, opened, recordEvent, segmentItemsOf, table } from "../../harness/service.ts";

const raw = Buffer.from("Subject: Hello\r\n\r\nHello");

const store = async (fields: object = {}) => {
  const message = newMessage({ account_id: randomUUID(), ...fields });
  await storeMessage(table, message, raw, Date.now());
  return message;
};

test("show-message prints the fields of Get Message, and how the content is stored", async () => {
  const raw = randomBytes(200_000);
  const message = newMessage({ account_id: randomUUID(), subject: "Hi", reference_message_id: 9007199254740993n });
  const { account_id, id } = message;
  await storeMessage(table, message, raw, Date.now());

  const { stdout } = await admin(`show-message ${id} --account ${account_id} --json`);

  expect(stdout[0]).toContain('"reference_message_id":9007199254740993,');
  const segments = (await segmentItemsOf(message)).map(({ bytes }) => bytes?.length ?? 0);
  const email_digest = createHash("sha256").update(raw).digest("hex");
  expect(JSON.parse(stdout.join("\n"))).toMatchObject({
    object: "message",
    id,
    subject: "Hi",
    sender: "hello@example.com",
    delivery_attempts: [],
    stored_content: { segments: segments.length, bytes: segments.reduce((sum, bytes) => sum + bytes), email_digest },
  });
});

test("A person sees one field per line", async () => {
  const { account_id, id } = await store({ tags: ["a", "b"] });

  const { stdout } = await admin(`show-message ${id.toUpperCase()} --account ${account_id}`);

  const lines = [`id ${id}`, 'tags ["a","b"]', "sent_at null"];
  expect(stdout.map((line) => line.replace(/ +/, " "))).toEqual(expect.arrayContaining(lines));
  expect(stdout.at(-1)).toBe("");
  expect(stdout.join()).not.toContain("undefined");
});

test("Why a message is absent: deleted, expired, expired before it was stored, or unknown", async () => {
  const account_id = randomUUID();
  const past = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000);
  const deleted = await store({ account_id });
  await deleteMessage(table, deleted, Date.now());
  const expired = await store({ account_id, retain_until: past });
  const late = newMessage({ account_id, retain_until: past });
  const event = { type: "message.stored", id: "1", account_id, message: late, raw_email: null };
  await admin("record-events -", { input: JSON.stringify(event) });
  const unknown = randomUUID();

  const ran = await admin(`show-message ${deleted.id} ${expired.id} ${late.id} ${unknown} --account ${account_id}`);

  const since = `expired at ${past.toISOString()}`;
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([
    1,
    [],
    [
      expect.stringMatching(`^${deleted.id}: deleted at 20.+Z: no event can store it again$`),
      `${expired.id}: ${since}`,
      `${late.id}: ${since}`,
      expect.stringMatching(`^${unknown}: unknown`),
    ],
  ]);
});

test("A missing message, another account's message and a bad id are reported", async () => {
  const { account_id, id } = await store();
  const none = randomUUID();

  const other = await admin(`show-message ${id} --account ${randomUUID()}`);
  const several = await admin(`show-message x ${none} ${id} --account ${account_id}`);

  expect(other).toMatchObject({ status: 1, stdout: [], stderr: [expect.stringMatching(`^${id}: unknown`)] });
  expect(several.stderr).toEqual(["x: a message's id is a UUID", expect.stringMatching(`^${none}: unknown`)]);
  expect(several.status).toBe(2);
  expect(several.stdout).toContain(`id                      ${id}`);
});

test("--open prints the address of the message's page on this machine", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", inject("engine").AWS_ENDPOINT_URL_DYNAMODB);
  const { account_id, id } = await store();

  const opened = await admin(`show-message ${id} --account ${account_id} --open`);
  vi.stubEnv("PORT", "3456");
  const elsewhere = await adminJson(`show-message ${id} --account ${account_id} --open`);

  expect(opened.stdout).toEqual([`http://127.0.0.1:3000/messages#${account_id}/${id}`]);
  expect(elsewhere).toEqual([{ id, url: `http://127.0.0.1:3456/messages#${account_id}/${id}` }]);
});

test("A damaged message shows the fields of its head, and what is missing", async () => {
  const message = newMessage({ account_id: randomUUID(), subject: "Hi" });
  await storeMessage(table, message, randomBytes(500_000), Date.now());
  await recordEvent(message, opened, Date.now());
  await loseSegment(message, 1);

  const { status, stdout, stderr } = await admin(`show-message ${message.id} --account ${message.account_id} --json`);

  expect([status, stderr]).toEqual([1, [`${message.id}: damaged. restore-content writes its email again`]]);
  const missing = expect.stringMatching(/^A segment .* is missing$/);
  const stored_content = expect.objectContaining({ missing });
  expect(JSON.parse(stdout[0] ?? "")).toMatchObject({ subject: "Hi", open_count: 1, stored_content });
});

test("A message whose content can't be read just now isn't called damaged", async () => {
  const { account_id, id } = await store();
  const { end } = interceptAll(({ input }, proceed) => {
    if (isSegmentSort(String((input.Key as { sk?: string })?.sk))) throw new Error("The network failed");
    return proceed();
  });

  const ran = await admin(`show-message ${id} --account ${account_id}`);
  end();

  expect(ran).toMatchObject({ status: 1, stdout: [], stderr: [`${id}: The network failed`] });
});
