import { expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { startAccount } from "../../harness/members.ts";

type Member = { id: string; user_id: string };

const ada = { email: "ada@example.com", role: "Analyst" };

test("Removes the member, and no other", async () => {
  const { account_id, add } = await startAccount();
  await add(ada);
  await add({ ...ada, email: "bob@example.com" });

  const { status, stdout } = await admin(`remove-member ada@example.com --account ${account_id}`);

  expect({ status, stdout }).toEqual({ status: 0, stdout: ["removed   ada@example.com"] });
  const left = await adminJson(`list-members --account ${account_id}`);
  expect(left.map(({ email }) => email)).toEqual(["bob@example.com"]);
});

test("Who was removed can join again: the same user, a new member", async () => {
  const { account_id, add } = await startAccount();
  const first = (await (await add(ada)).json()) as Member;
  expect((await add(ada)).status).toBe(409);
  await admin(`remove-member ada@example.com --account ${account_id}`);

  const again = await add(ada);

  expect(again.status).toBe(201);
  const member = (await again.json()) as Member;
  expect(member.user_id).toBe(first.user_id);
  expect(member.id).not.toBe(first.id);
});

test("A key that was used before still replays what it returned, and adds nobody", async () => {
  const { account_id, add } = await startAccount();
  const first = await (await add(ada, "key")).text();
  await admin(`remove-member ada@example.com --account ${account_id}`);

  const again = await add(ada, "key");

  expect(await again.text()).toBe(first);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await adminJson(`list-members --account ${account_id}`)).toEqual([]);
});

test("Who is no member is told of", async () => {
  const { account_id } = await startAccount();

  const { status, stderr } = await admin(`remove-member ada@example.com --account ${account_id}`);

  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: ["ada@example.com: no such member of the account"],
  });
});
