import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { listMembers, newMember, newUser, putMember, removeMember, setMemberRole } from "../../../lib/members/store.ts";
import { transact } from "../../../lib/table/transact.ts";
import { startAccount } from "../../harness/members.ts";
import { noon, table } from "../../harness/service.ts";

test("A change of a deleted member does not affect the same user's new membership", async () => {
  const { account_id, add } = await startAccount();
  const ada = { email: "ada@example.com", role: "Analyst" };
  await add(ada);
  const [before] = await listMembers(table, account_id);
  if (!before) throw new Error("Nobody was added");
  expect(await removeMember(table, before)).toBe(true);
  await add(ada);

  expect(await setMemberRole(table, before, "Administrator", noon)).toBe(false);
  expect(await removeMember(table, before)).toBe(false);

  expect(await listMembers(table, account_id)).toMatchObject([{ email: ada.email, role: "Analyst" }]);
});

test("Members are in the order in which they joined, and not in that of their ids", async () => {
  const account_id = randomUUID();
  for (const [index, digit] of ["e", "0", "f", "1"].entries()) {
    const member = newMember(account_id, randomUUID().replaceAll(/[\da-f]/g, digit), "Analyst", noon + index);
    await transact(table, [putMember(table, { ...member, email: `${digit}@example.com` }, noon)]);
  }

  const emails = (await listMembers(table, account_id)).map(({ email }) => email);

  expect(emails).toEqual(["e@example.com", "0@example.com", "f@example.com", "1@example.com"]);
});

test("A user and a member begin at the clock's time", () => {
  const created_at = new Date(noon).toISOString();

  expect(newUser("ada@example.com", noon)).toMatchObject({ email: "ada@example.com", created_at });
  expect(newMember(randomUUID(), randomUUID(), "Analyst", noon)).toMatchObject({ created_at, updated_at: created_at });
});
