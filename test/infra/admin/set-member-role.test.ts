import { expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { startAccount } from "../../harness/members.ts";

const role = ["--role", "Billing Manager"];

test("Changes the role, and nothing else but the time of the change", async () => {
  const { account_id, add } = await startAccount();
  await add({ email: "ada@example.com", role: "Analyst", name: "Ada" });
  const [before] = await adminJson(`list-members --account ${account_id}`);

  const { status, stdout } = await admin([
    ..."set-member-role ADA@example.com --account".split(" "),
    account_id,
    ...role,
  ]);

  expect({ status, stdout }).toEqual({ status: 0, stdout: ["ada@example.com   Billing Manager"] });
  const [after] = await adminJson(`list-members --account ${account_id}`);
  expect(after).toEqual({ ...before, role: "Billing Manager", updated_at: expect.any(String) });
  expect(after.updated_at).not.toBe(before.updated_at);
});

test("A key still replays what it returned before", async () => {
  const { account_id, add } = await startAccount();
  const body = { email: "ada@example.com", role: "Analyst" };
  const first = await (await add(body, "key")).text();

  await admin(["set-member-role", "ada@example.com", "--account", account_id, ...role]);

  const again = await add(body, "key");
  expect({ status: again.status, body: await again.text() }).toEqual({ status: 201, body: first });
});

test("Names members by either of their ids, and tells who is none", async () => {
  const { account_id, add } = await startAccount();
  const ada = await (await add({ email: "ada@example.com", role: "Analyst" })).json();
  const bob = await (await add({ email: "bob@example.com", role: "Analyst" })).json();
  const { user_id } = ada as { user_id: string };
  const { id } = bob as { id: string };
  const input = `${user_id}\nnobody@example.com\n${id.toUpperCase()}\n`;

  const { status, stdout, stderr } = await admin(["set-member-role", "-", "--account", account_id, ...role], {
    input,
  });

  expect(status).toBe(1);
  expect(stdout).toEqual(["ada@example.com   Billing Manager", "bob@example.com   Billing Manager"]);
  expect(stderr).toEqual(["nobody@example.com: no such member of the account"]);
});

test("A role that is none is refused", async () => {
  const { account_id } = await startAccount();

  const { status, stderr } = await admin(`set-member-role a@b.c --account ${account_id} --role Owner`);

  expect(status).toBe(2);
  expect(stderr).toEqual([
    "option '--role <role>' argument 'Owner' is invalid. Allowed choices are Administrator, Developer, Analyst, Billing Manager.",
  ]);
});
