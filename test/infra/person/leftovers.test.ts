/** Whatever an interrupted store or deletion leaves of a person's email is found by the index, without a scan. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { queryIndex } from "../../../infra/person/query-index.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { headSort, messageOfKey, messagePartition } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { attempted, newMessage, noon, recordEvent } from "../../harness/service.ts";
import { freshTable, itemsIn } from "../../harness/tables.ts";

const ada = "ada@example.org";
const email = Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), randomBytes(300_000)]);

const cutAfter = (table: Table, writes: number): { table: Table; wasCut: () => boolean } => {
  let left = writes;
  const cut = interceptedTable(table, ({ constructor: { name } }, proceed) => {
    const isWrite = !["GetCommand", "QueryCommand"].includes(name);
    if (isWrite && left-- <= 0) throw new Error("power cut");
    return proceed();
  });
  return { table: cut, wasCut: () => left < 0 };
};

/** Everything of messages that has text: not tombstones, markers, lists of pages. */
const remainsIn = async (table: Table) =>
  (await itemsIn(table)).filter(
    ({ pk, sk, id }) =>
      pk.startsWith(messagePartition("", "").slice(0, 8)) && (sk !== headSort || id) && !sk.startsWith("SEGMENT_PAGES"),
  );

/** What `erase-person` does with the index. */
const erase = async (table: Table) => {
  for await (const keys of queryIndex(table, ada, { withLeftovers: true })) {
    for (const key of keys) await deleteMessage(table, messageOfKey(key), noon, { force: true });
  }
};

type Act = (table: Table, message: ReturnType<typeof newMessage>) => Promise<unknown>;
const store: Act = (table, message) => storeMessage(table, message, email, noon);
const remove: Act = (table, message) => deleteMessage(table, message, noon);

test.each<[string, Act, Act | null, Buffer | null]>([
  ["store", store, null, email],
  ["deletion", remove, store, email],
  [
    "deletion of a message without an email",
    remove,
    (table, message) => storeMessage(table, message, null, noon),
    null,
  ],
])(
  "An interrupted %s is found by the address after every write, and an erasure leaves nothing",
  async (_, act, before) => {
    for (let writes = 0, wasCut = true; wasCut; writes++) {
      const table = await freshTable();
      const message = newMessage({ account_id: randomUUID(), recipient: ada });
      await before?.(table, message);
      if (before) await recordEvent(message, attempted(noon, "250 for ada"), noon, table);
      const cut = cutAfter(table, writes);
      await act(cut.table, message).catch(() => {});
      wasCut = cut.wasCut();

      await erase(table);

      expect(await remainsIn(table)).toEqual([]);
    }
  },
);
