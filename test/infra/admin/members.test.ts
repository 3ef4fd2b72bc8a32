/** `list-members`, `set-member-role` and `remove-member`. */
import { randomUUID } from "node:crypto";
import { DeleteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, test, vi } from "vitest";
import { userKey } from "../../../lib/table/keys.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { startAccount } from "../../harness/members.ts";
import { noon, table } from "../../harness/service.ts";

type Member = { id: string; user_id: string };
const ada = { email: "ada@example.com", role: "Analyst", name: "Ada" };
const bob = { email: "bob@example.com", role: "Billing Manager" };

const setRole = (account_id: string, name: string, input = "") =>
  admin(["set-member-role", name, "--account", account_id, "--role", "Billing Manager"], { input });

test("list-members lists the members in the order in which they joined", async () => {
  let now = noon;
  const { account_id, add } = await startAccount(() => now);
  const first = await (await add({ ...ada, email: "Ada@example.com" })).json();
  now += 1000;
  const second = await (await add(bob)).json();

  const listed = await adminJson(`list-members --account ${account_id}`);
  const { stdout } = await admin(`list-members --account ${account_id}`);
  const none = await admin(`list-members --account ${randomUUID()}`);

  expect(listed.map((member) => ({ ...member, account_id }))).toEqual([
    { ...(first as object), email: "ada@example.com", name: "Ada" },
    { ...(second as object), email: "bob@example.com", name: null },
  ]);
  expect(stdout).toEqual([
    expect.stringMatching(/^email {12}name {2}role {13}created_at +updated_at +user_id +id$/),
    expect.stringMatching(/^ada@example.com {2}Ada {3}Analyst {10}\d{4}-11-20T12:00:00.000Z/),
    expect.stringMatching(/^bob@example.com {2}- {5}Billing Manager {2}\d{4}-11-20T12:00:01.000Z/),
  ]);
  expect(none).toMatchObject({ status: 0, stdout: [], stderr: [] });
});

test("set-member-role changes the role and updated_at, and an old key still replays its response", async () => {
  const { account_id, add } = await startAccount();
  const first = await (await add(ada, "key")).text();
  const [before] = await adminJson(`list-members --account ${account_id}`);

  const ran = await setRole(account_id, "ADA@example.com");

  expect(ran).toMatchObject({ status: 0, stdout: ["ada@example.com   Billing Manager   (was Analyst)"] });
  const [after] = await adminJson(`list-members --account ${account_id}`);
  expect(after).toEqual({ ...before, role: "Billing Manager", updated_at: expect.any(String) });
  expect(after.updated_at).not.toBe(before.updated_at);
  const again = await add(ada, "key");
  expect({ status: again.status, body: await again.text() }).toEqual({ status: 201, body: first });
  const changed = await adminJson(`set-member-role ${ada.email} --account ${account_id} --role Developer`);
  const { id, user_id, email } = before;
  expect(changed).toEqual([{ id, user_id, email, role: "Developer", old_role: "Billing Manager" }]);
});

test("A command finds members by email, id or user id, and reports the others", async () => {
  const { account_id, add } = await startAccount();
  const { user_id } = (await (await add(ada)).json()) as Member;
  const { id } = (await (await add(bob)).json()) as Member;

  const input = `${user_id}\nnobody@example.com\n${id.toUpperCase()}\n`;
  const { status, stdout, stderr } = await setRole(account_id, "-", input);

  expect(status).toBe(1);
  expect(stdout).toEqual([
    "ada@example.com   Billing Manager   (was Analyst)",
    "bob@example.com   Billing Manager   (was Billing Manager)",
  ]);
  expect(stderr).toEqual(["nobody@example.com: no such member of the account. Nothing was changed"]);
});

test("A member without a user, as an interrupted erasure could leave one, is found by email", async () => {
  const { account_id, add } = await startAccount();
  await add(ada);
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: userKey(ada.email) }));

  const ran = await admin(`remove-member ADA@example.com --account ${account_id}`);

  expect(ran).toMatchObject({ status: 0, stdout: ["removed   ada@example.com"], stderr: [] });
});

test("remove-member says what it did, and that whoever is no member (any more) is unknown", async () => {
  const { account_id, add } = await startAccount();
  const { id, user_id } = (await (await add(ada)).json()) as Member;
  const removing = `remove-member ${ada.email} --account ${account_id}`;

  const first = await adminJson(removing);
  const again = await admin(removing);

  expect(first).toEqual([{ member: ada.email, removed: true, id, user_id, email: ada.email }]);
  const stderr = ["ada@example.com: no such member of the account. Nothing was changed"];
  expect(again).toMatchObject({ status: 1, stdout: [], stderr });
});

test("A member is found by email or user id without a list of all members", async () => {
  const { account_id, add } = await startAccount();
  const { user_id } = (await (await add(ada)).json()) as Member;
  await add(bob);
  const calls = vi.spyOn(DynamoDBDocumentClient.prototype, "send");

  await setRole(account_id, "-", `${user_id}\nBOB@example.com\n`);

  expect(calls.mock.calls.map(([command]) => command.constructor.name)).toEqual([
    "GetCommand", // the table's time
    ...["GetCommand", "UpdateCommand"],
    ...["GetCommand", "GetCommand", "UpdateCommand"],
  ]);
});

test("remove-member removes one member, who can be added again as the same user, but not by a replay", async () => {
  const { account_id, add } = await startAccount();
  const first = (await (await add(ada, "key")).json()) as Member;
  await add(bob);

  const { status, stdout } = await admin(`remove-member ada@example.com --account ${account_id}`);
  const replay = await add(ada, "key");
  const left = await adminJson(`list-members --account ${account_id}`);
  const again = await add(ada);

  expect({ status, stdout }).toEqual({ status: 0, stdout: ["removed   ada@example.com"] });
  expect(await replay.json()).toEqual(first);
  expect(left.map(({ email }) => email)).toEqual(["bob@example.com"]);
  expect(again.status).toBe(201);
  const member = (await again.json()) as Member;
  expect(member.user_id).toBe(first.user_id);
  expect(member.id).not.toBe(first.id);
});
