/** A message and its email may come apart, and a message may come again. */
import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { applyEvents } from "../../lib/events/apply-events.ts";
import { takeEvents } from "../../lib/events/receive-batch.ts";
import { admin } from "../harness/admin.ts";
import { type CapturedOutput, captureOutput } from "../harness/captured-output.ts";
import { pipelineMessage } from "../harness/pipeline.ts";
import { noon, table } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";

let output: CapturedOutput;
beforeEach(() => {
  output = captureOutput();
});

const emails: Record<string, string> = {
  "1.eml": "Subject: Hello\r\n\r\nHello",
  "2.eml": "Subject: Hello\r\n\r\nGoodbye",
};
const readEmail = async (key: string) => Buffer.from(emails[key] ?? "");
/** Records the bodies of one batch. Returns the outcome of each, or the reason for which it failed. */
const record = async (...bodies: string[]): Promise<string[]> => {
  output.clear();
  const messages = bodies.map((body, index) => ({ messageId: String(index), body }));
  const handler = takeEvents(
    (events) => applyEvents(table, events, readEmail, noon),
    async () => {},
    () => Promise.reject(new Error("no sender")),
  );
  await deliver(handler, messages);
  const lines = output.lines().filter(({ message }) => message === "event");
  return lines.map(({ outcome, reason, error }) => error ?? reason ?? outcome);
};

const email = (raw_email: string, id: string = randomUUID()) => ({ raw_email, id });

test("message.content waits for its message, adds the email once, and another email is rejected", async () => {
  const { event, stored, get, id } = await pipelineMessage();
  const content = event("message.content", email("1.eml"));
  const early = "its message is not stored yet";

  expect(await record(content)).toEqual([early]);
  expect(await record(stored(null))).toEqual(["recorded"]);
  expect(await (await get()).json()).toMatchObject({ content: null });
  expect(await record(content)).toEqual(["recorded"]);
  expect(await record(content, event("message.content", email("1.eml")))).toEqual(["repeated", "repeated"]);
  const another = `a message with another email has the id ${id}`;
  expect(await record(event("message.content", email("2.eml")))).toEqual([another]);

  expect(await (await get()).json()).toMatchObject({
    content: emails["1.eml"],
    content_parsed: { headers: { Subject: ["Hello"] } },
  });
});

test("In one batch, the message, its email and its changes may have any order", async () => {
  const { event, stored, get } = await pipelineMessage();

  const bodies = [event("message.opened"), event("message.content", email("1.eml")), stored(null)];
  expect(await record(...bodies)).toEqual(["recorded", "recorded", "recorded"]);

  expect(await (await get()).json()).toMatchObject({ content: emails["1.eml"], open_count: 1 });
});

test.each(["remove-content", "delete-message"])("After %s, message.content is expired", async (command) => {
  const one = await pipelineMessage();
  const two = await pipelineMessage();
  await record(one.stored("1.eml"), two.stored(null));
  for (const { account_id, id } of [one, two]) await admin(`${command} ${id} --account ${account_id}`);

  for (const { event, stored, get } of [one, two]) {
    const bodies = [event("message.content", email("1.eml")), stored("1.eml", { id: randomUUID() })];
    expect(await record(...bodies)).toEqual(["expired", expect.stringMatching(/expired|repeated/)]);
    expect(await (await get()).json()).not.toMatchObject({ content: emails["1.eml"] });
  }
});

test.each([
  ["with an email, then without", "1.eml", null, {}, "repeated"],
  ["without an email, then with one", null, "1.eml", {}, "recorded"],
  ["with another retain_until", "1.eml", "1.eml", { retain_until: "2099-01-01T00:00:00Z" }, "repeated"],
  ["with an address in another spelling", null, null, { recipient: "Ada <ADA@Example.COM>" }, "repeated"],
  ["with its sender in another spelling", null, null, { sender: "HELLO@Example.COM" }, "repeated"],
  ["with other tags and another status", null, "1.eml", { tags: ["x"], status: "sent" }, "recorded"],
])("message.stored again is harmless: %s", async (_, first, second, fields, outcome) => {
  const { stored, get, fields: all } = await pipelineMessage({ recipient: "ada@example.com" });
  const { account_id: __, ...message } = all;
  await record(stored(first));
  const before = (await (await get()).json()) as { retain_until: string; tags: string[] };

  const again = { id: randomUUID(), message: { ...message, ...fields } };
  expect(await record(stored(second, again))).toEqual([outcome]);

  const content = first === second && first === null ? null : emails["1.eml"];
  const { retain_until, tags } = before;
  expect(await (await get()).json()).toMatchObject({ retain_until, tags, content, recipient: "ada@example.com" });
});

test.each([
  ["direction", { direction: "incoming" }],
  ["sender", { sender: "bo@example.com" }],
  ["recipient", { recipient: "bo@example.com" }],
  ["message_id", { message_id: "<other@example.com>" }],
  ["subject", { subject: "Other" }],
])("A message with another %s is rejected under the same id", async (field, fields) => {
  const { stored, fields: all, id } = await pipelineMessage();
  const { account_id: _, ...message } = all;
  await record(stored(null));

  const again = { id: randomUUID(), message: { ...message, ...fields } };
  expect(await record(stored("1.eml", again))).toEqual([`a message with another ${field} has the id ${id}`]);
});
