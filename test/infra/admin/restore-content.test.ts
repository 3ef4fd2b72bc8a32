/** `restore-content` on messages that lost a segment. */
import { randomBytes, randomUUID } from "node:crypto";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { NewMessage } from "../../../lib/messages/new-message.ts";
import { removeContent } from "../../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { admin } from "../../harness/admin.ts";
import { cutAfterWrites, interceptAll } from "../../harness/intercepted-table.ts";
import {
  attempted,
  itemsOf,
  loseSegment,
  newMessage,
  opened,
  recordEvent,
  segmentItemsOf,
  table,
} from "../../harness/service.ts";
import { folderOf, temporaryFolder } from "../../harness/temporary-folder.ts";
import { readMessage } from "../../lib/messages/stored-message.ts";

/** Three segments, because random bytes don't compress. */
const email = () =>
  Buffer.from(
    `From: a@example.com\nTo: b@example.org\nSubject: Hi\nMessage-ID: <1@x>\n\n${randomBytes(300_000).toString("base64")}\n`,
  );

/** A message from a pipeline, which chose its id, with an attempt and an open. */
const stored = async (raw: Buffer, fields: Partial<NewMessage> = {}) => {
  const message = newMessage({ account_id: randomUUID(), ...fields });
  await storeMessage(table, message, raw, Date.now());
  await recordEvent(message, attempted(Date.now(), "250 OK"), Date.now());
  await recordEvent(message, opened, Date.now());
  return message;
};

const fileOf = (bytes: Buffer | string): string => {
  const path = join(temporaryFolder(), "letter");
  writeFileSync(path, bytes);
  return path;
};

const restoring = ({ account_id, id }: { account_id: string; id: string }, file: string) =>
  `restore-content ${id} ${file} --account ${account_id}`;

test("A damaged message is whole again, with its id, attempts and counters", async () => {
  const raw = email();
  const message = await stored(raw);
  const before = await readMessage(message);
  await loseSegment(message, 1);

  const ran = await admin(restoring(message, fileOf(raw)));

  expect(ran).toMatchObject({ status: 0, stdout: [`content restored   ${message.id}`], stderr: [] });
  expect(before).toMatchObject({ num_attempts: 1, open_count: 1 });
  expect(await readMessage(message)).toEqual(before);
});

test.each([
  [
    "an mbox",
    (raw: Buffer) =>
      `From x Sat Nov 21 15:00:00 2026\nSubject: other\n\nOther\n\nFrom x Sat Nov 21 15:00:00 2026\n${raw}\n`,
  ],
  ["standard input", (raw: Buffer) => raw.toString()],
])("The email is found in %s", async (place, write) => {
  const raw = email();
  const message = await stored(raw);
  await loseSegment(message, 0);

  const file = place === "an mbox" ? fileOf(write(raw)) : "-";
  const ran = await admin(restoring(message, file), { input: write(raw) });

  expect(ran).toMatchObject({ status: 0, stderr: [] });
  expect((await readMessage(message))?.content).toBe(raw.toString());
});

test("In a folder, the email is found behind what is no email", async () => {
  const raw = email();
  const message = await stored(raw);
  await loseSegment(message, 1);
  const folder = folderOf({ "b.pdf": "%PDF-", "c.eml": raw.toString() });
  symlinkSync(join(folder, "nothing"), join(folder, "a"));

  const ran = await admin(`${restoring({ ...message, id: message.id.toUpperCase() }, folder)} --json`);

  expect(ran).toMatchObject({ status: 0, stderr: [] });
  expect(ran.stdout.map((line) => JSON.parse(line))).toEqual([{ id: message.id, content_restored: true }]);
});

test("A file that can't be read is not taken for one without the email", async () => {
  const message = await stored(email());
  await loseSegment(message, 1);

  const file = join(temporaryFolder(), "none.eml");
  const ran = await admin(restoring(message, file));

  expect(ran).toMatchObject({ status: 1, stderr: [`${file}: no such file or directory`] });
});

test("Another email is rejected, and nothing is written", async () => {
  const message = await stored(email());
  await loseSegment(message, 1);
  const before = await itemsOf(message);
  const file = fileOf(email());

  const { status, stderr } = await admin(restoring(message, file));

  expect(status).toBe(1);
  expect(stderr).toEqual([expect.stringMatching(`^${file}: no email in it has the digest [\\da-f]{64} of `)]);
  expect(await itemsOf(message)).toEqual(before);
});

test("Content that was removed, or that never was, is not restored", async () => {
  const raw = email();
  const removed = await stored(raw);
  await admin(`remove-content ${removed.id} --account ${removed.account_id}`);
  const never = newMessage({ account_id: randomUUID() });
  await storeMessage(table, never, null, Date.now());

  const file = fileOf(raw);
  const ran = [await admin(restoring(removed, file)), await admin(restoring(never, file))];

  expect(ran.map(({ status }) => status)).toEqual([1, 1]);
  expect(ran.flatMap(({ stderr }) => stderr)).toEqual([
    expect.stringMatching(/not damaged. remove-content removed its email on \d{4}-/),
    `${never.id}: the message was stored without an email`,
  ]);
  expect((await readMessage(removed))?.content).toBeNull();
});

test("A message that the account doesn't have is named", async () => {
  const id = randomUUID();

  const ran = await admin(restoring({ account_id: randomUUID(), id }, "none.eml"));

  expect(ran).toMatchObject({ status: 1, stdout: [], stderr: [`${id}: the account has no such message`] });
});

test("Content that somebody removes meanwhile stays removed", async () => {
  const raw = email();
  const message = await stored(raw);
  await loseSegment(message, 1);
  const { end } = interceptAll(async ({ constructor: { name } }, proceed) => {
    if (name !== "PutCommand") return proceed();
    end();
    await removeContent(table, message, Date.now());
    return proceed();
  });

  const ran = await admin(restoring(message, fileOf(raw)));

  const stderr = [`${message.id}: the message was changed meanwhile. Run the command again`];
  expect(ran).toMatchObject({ status: 1, stdout: [], stderr });
  expect((await readMessage(message))?.content).toBeNull();
  expect(await segmentItemsOf(message)).toEqual([]);
});

test("After a power cut before any write, running the command again restores the message", async () => {
  const raw = email();
  const file = fileOf(raw);
  for (let writes = 0, wasCut = true; wasCut; writes++) {
    const message = await stored(raw);
    const before = await readMessage(message);
    const segments = (await segmentItemsOf(message)).length;
    await loseSegment(message, 1);

    wasCut = await cutAfterWrites(writes, () => admin(restoring(message, file)));
    await admin(restoring(message, file));

    expect(await readMessage(message)).toEqual(before);
    expect(await segmentItemsOf(message)).toHaveLength(segments);
  }
});
