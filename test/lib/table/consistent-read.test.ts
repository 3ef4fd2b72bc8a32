/** What somebody has just written, they read, even if other reads still show what was there before. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { findApiKey } from "../../../lib/api-keys/api-key.ts";
import { createApiKey, revokeApiKey } from "../../../lib/api-keys/store.ts";
import { applyEvent } from "../../../lib/events/apply-events.ts";
import { addSender, findSender } from "../../../lib/events/senders.ts";
import { findMember, listMembers, newMember, putMember } from "../../../lib/members/store.ts";
import type { NewMessage } from "../../../lib/messages/new-message.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import type { Table } from "../../../lib/table/table.ts";
import { transact } from "../../../lib/table/transact.ts";
import { newMessage, noon, opened, recordEvent } from "../../harness/service.ts";
import { simulatedProcesses } from "../../world/processes.ts";

const raw = Buffer.from("Subject: Hello\r\n\r\nHello");

const addContent = (table: Table, { account_id, id }: NewMessage) => {
  const event = { type: "message.content", id: "1", account_id, message: { id }, raw_email: "1.eml" } as const;
  return applyEvent(table, event, async () => raw, noon);
};

/** After each of these acts, the next one sees it. */
const acts: [string, (table: Table, message: NewMessage) => Promise<unknown>, unknown][] = [
  ["a message is stored", (table, message) => storeMessage(table, message, null, noon), "stored"],
  ["and stored again", (table, message) => storeMessage(table, message, null, noon), "there already"],
  ["and opened", (table, message) => recordEvent(message, opened, noon, table), "recorded"],
  ["and gets its email", addContent, "recorded"],
  ["and gets it again", addContent, "repeated"],
  ["and loses it", (table, message) => removeContent(table, message, noon), true],
  ["and is deleted", (table, message) => deleteMessage(table, message, noon), "deleted"],
  ["and is opened", (table, message) => recordEvent(message, opened, noon, table), "expired"],
];

test("A message that was changed a moment ago is known to whoever changes it next", async () => {
  const { table, onEmptyTable, held } = simulatedProcesses();
  await onEmptyTable(async () => {
    const message = newMessage({ account_id: randomUUID() });
    await held({ from: 0 }, async () => {
      for (const [what, act, outcome] of acts) expect(await act(table, message), what).toBe(outcome);
    });
  });
});

test("A key that was revoked, a sender and a member that were added a moment ago are so at once", async () => {
  const { table, onEmptyTable, held } = simulatedProcesses();
  await onEmptyTable(async () => {
    const account_id = randomUUID();
    const sender = { name: "ses-received:example.com", account_id, domain_id: randomUUID(), retain_days: 1 };
    await held({ from: 0 }, async () => {
      const { apiKey } = await createApiKey(table, { account_id, scopes: ["*"] }, noon);
      await revokeApiKey(table, apiKey.id, noon);
      await addSender(table, sender, noon);
      const member = { ...newMember(account_id, randomUUID(), "Analyst", noon), email: "ada@example.com" };
      await transact(table, [putMember(table, member, noon)]);

      expect(await findApiKey(table, apiKey.id)).toHaveProperty("revoked_at");
      expect(await findSender(table, sender.name)).toMatchObject(sender);
      expect(await findMember(table, account_id, member.user_id)).toMatchObject(member);
      expect(await listMembers(table, account_id)).toEqual([member]);
    });
  });
});
