import { expect, test } from "vitest";
import { listMembers, removeMember, setMemberRole } from "../../../lib/members/store.ts";
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
