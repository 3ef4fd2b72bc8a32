import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Imported, importMail } from "../../../infra/mail/import-mail.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { day, noon, table } from "../../harness/service.ts";

/** Imports 50 emails into a table whose first writes fail with these errors. */
const importWith = async (names: string[], reported: Imported[] = []) => {
  const errors = names.map((name) => Object.assign(new Error(name), { name }));
  const failing = interceptedTable(table, (command, proceed) => {
    const error = command.constructor.name === "PutCommand" ? errors.shift() : undefined;
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

test("An import retries while the table is throttled", async () => {
  const reported = await importWith(["ThrottlingException", "ProvisionedThroughputExceededException"]);

  expect(reported.filter((imported) => "isNew" in imported && imported.isNew)).toHaveLength(50);
});

test("An error of the table ends the import, and no email is blamed", async () => {
  const reported: Imported[] = [];

  await expect(importWith(["ResourceNotFoundException"], reported)).rejects.toThrow();

  expect(reported.length).toBeLessThan(50);
  expect(reported.filter((imported) => "error" in imported)).toEqual([]);
});
