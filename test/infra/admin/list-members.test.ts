import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { startAccount } from "../../harness/members.ts";
import { noon } from "../../harness/service.ts";

test("Shows each member with the email that they were added by, in the order in which they joined", async () => {
  let now = noon;
  const { account_id, add } = await startAccount(() => now);
  const ada = await (await add({ email: "Ada@example.com", role: "Administrator", name: "Ada" })).json();
  now += 1000;
  const bob = await (await add({ email: "bob@example.com", role: "Billing Manager" })).json();

  const listed = await adminJson(`list-members --account ${account_id}`);

  const both = [
    { ...(ada as object), email: "ada@example.com", name: "Ada" },
    { ...(bob as object), email: "bob@example.com", name: null },
  ];
  expect(listed.map((member) => ({ ...member, account_id }))).toEqual(both);
});

test("Is a table for a person, and empty for an account without members", async () => {
  const { account_id, add } = await startAccount();
  await add({ email: "ada@example.com", role: "Billing Manager" });

  const { stdout } = await admin(`list-members --account ${account_id}`);
  const none = await admin(`list-members --account ${randomUUID()}`);

  expect(stdout).toEqual([
    expect.stringMatching(/^email {12}name {2}role {13}created_at +updated_at +user_id +id$/),
    expect.stringMatching(/^ada@example.com {2}- {5}Billing Manager {2}\d{4}-11-20T12:00:00.000Z/),
  ]);
  expect(none).toMatchObject({ status: 0, stdout: [], stderr: [] });
});
