/** `npm start -- --seed`: what becomes of each file of the folder. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../../infra/cli/user-error.ts";
import { seed } from "../../../infra/local/seed.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { day, itemsOf, noon, table } from "../../harness/service.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

const letter = (subject: string) => `From: a@example.com\nTo: b@example.org\nSubject: ${subject}\n\nHi`;

test("Emails are received messages for 30 days; what isn't served is named, also on the next start", async () => {
  const folder = folderOf({
    "1.eml": letter("1"),
    "2.eml": letter("2"),
    "bell\u0007.txt": "no email",
    "nameless.eml": "Subject: 3\n\nHi",
  });
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const start = () => seed(table, folder, ids, noon);
  const noEmails = [
    `${folder}/bell\\u0007.txt: no email and no mbox: it has no header field of an email`,
    `${folder}/nameless.eml: its headers have no sender. Pass --sender`,
  ];

  const first = await start();
  const again = await start();
  const [id = ""] = again.ids;
  const [head] = (await itemsOf({ account_id: ids.account_id, id })).filter(({ sk }) => sk === "HEAD");
  await deleteMessage(table, { account_id: ids.account_id, id }, noon);
  const afterwards = await start();

  expect(first.ids).toHaveLength(2);
  expect(first.failures.toSorted()).toEqual(noEmails);
  expect({ ids: again.ids.toSorted(), failures: again.failures.toSorted() }).toEqual({
    ids: first.ids.toSorted(),
    failures: noEmails,
  });
  const expires_at = (noon + 30 * day) / 1000;
  expect(head).toMatchObject({ ...ids, direction: "incoming", status: "received", expires_at });
  expect(afterwards.ids).toEqual(first.ids.filter((other) => other !== id));
  expect(afterwards.failures).toContainEqual(
    expect.stringMatching(/\/[12]\.eml: deleted before, so it is not imported again$/),
  );
});

test("A folder that doesn't exist is a wrong argument, and an empty one has no emails", async () => {
  const ids = { account_id: randomUUID(), domain_id: randomUUID() };
  const missing = join(folderOf({}), "missing");

  await expect(seed(table, missing, ids, noon)).rejects.toThrow(
    new UserError(`--seed takes a folder with emails, but ${missing} does not exist`, 2),
  );
  expect(await seed(table, folderOf({}), ids, noon)).toEqual({ ids: [], failures: [] });
});
