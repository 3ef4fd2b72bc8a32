import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Imported, importMail } from "../../../infra/mail/import-mail.ts";
import type { Table } from "../../../lib/table/table.ts";
import { day, noon, table } from "../../harness/service.ts";

/** The table, where the first calls that write fail with these errors. */
const failingWith = (...names: string[]): Table => {
  const errors = names.map((name) => Object.assign(new Error(name), { name }));
  const send = async (command: { constructor: { name: string } }) => {
    const error = command.constructor.name === "PutCommand" ? errors.shift() : undefined;
    if (error) throw error;
    return table.client.send(command as never);
  };
  return { name: table.name, client: { send: send as never } };
};

/** Imports 50 emails, and returns what it told of them. */
const importInto = async (on: Table, told: Imported[] = []) => {
  const mail = async function* () {
    for (let number = 0; number < 50; number++) {
      yield Buffer.from(
        `From x Sat Nov 21 15:00:00 2026\nFrom: a@b.example\nTo: c@d.example\n\n${number}\n\n`,
      );
    }
  };
  const fields = {
    account_id: randomUUID(),
    domain_id: randomUUID(),
    direction: "incoming",
    status: "received",
    retain_until: new Date(noon + day),
  } as const;
  const files = [{ path: "mail.mbox", bytes: 0, open: mail }];
  await importMail(on, files, fields, noon, (imported) => told.push(imported));
  return told;
};

test("A table that is throttled is waited for", async () => {
  const told = await importInto(failingWith("ThrottlingException", "ProvisionedThroughputExceededException"));

  expect(told.filter((imported) => "isNew" in imported && imported.isNew)).toHaveLength(50);
});

test("A table that fails ends the import, instead of each email", async () => {
  const told: Imported[] = [];

  await expect(importInto(failingWith("ResourceNotFoundException"), told)).rejects.toThrow();

  expect(told.length).toBeLessThan(50);
  expect(told.filter((imported) => "error" in imported)).toEqual([]);
});
