/** `add-sender`, `list-senders` and `remove-sender`. What a sender reports is tested with the function RecordEvents. */
import { randomUUID } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";

afterEach(async () => {
  for (const { name } of await adminJson("list-senders")) await admin(`remove-sender ${name}`);
});

const account_id = randomUUID();
const domain_id = randomUUID();
const options = `--account ${account_id.toUpperCase()} --domain ${domain_id}`;

test("A sender is listed until it is removed, and its name is normalised", async () => {
  const added = await admin(`add-sender ses-received:Mail.Bücher.example ${options} --retain-days 90`);
  const [other] = await adminJson(`add-sender ses:111122223333:shop ${options}`);

  const name = "ses-received:mail.xn--bcher-kva.example";
  expect(added).toMatchObject({ status: 0, stdout: [`added     ${name}`] });
  expect(other).toEqual({ name: "ses:111122223333:shop", account_id, domain_id, retain_days: 30 });
  expect(await adminJson("list-senders")).toEqual([{ name, account_id, domain_id, retain_days: 90 }, other]);

  const removed = await admin(`remove-sender ses-received:mail.bücher.example ses:111122223333:shop ${name}`);
  expect(removed).toMatchObject({
    status: 1,
    stdout: [`removed   ses-received:mail.bücher.example`, expect.anything()],
  });
  expect(removed.stderr).toEqual([`${name}: no such sender`]);
  expect(await adminJson("list-senders")).toEqual([]);
});

test("remove-sender names what is no sender's name, and goes on with the next", async () => {
  const name = "ses:111122223333:shop";
  await admin(`add-sender ${name} ${options}`);

  const { status, stdout, stderr } = await admin(`remove-sender shop ${name} --json`);

  const line = "shop: no sender's name. It takes ses:AWS_ACCOUNT:CONFIGURATION_SET or ses-received:DOMAIN";
  expect({ status, stderr }).toEqual({ status: 2, stderr: [line] });
  expect(stdout.map((object) => JSON.parse(object))).toEqual([{ name, removed: true }]);
});

test("A configuration set's name has up to 64 characters", async () => {
  const name = `ses:111122223333:${"a".repeat(64)}`;

  expect(await admin(`add-sender ${name} ${options}`)).toMatchObject({ status: 0, stdout: [`added     ${name}`] });
});

test("A sender can't be given to another account by mistake", async () => {
  await admin(`add-sender ses:111122223333:news ${options}`);

  const again = await admin(`add-sender ses:111122223333:news --account ${randomUUID()} --domain ${domain_id}`);

  expect(again.status).toBe(1);
  expect(again.stderr).toEqual(["ses:111122223333:news: the sender is there already. To change it, remove it first"]);
  expect(await adminJson("list-senders")).toMatchObject([{ account_id }]);
});

test.each([
  "shop",
  "ses:shop",
  "ses:11112222333:shop",
  "ses:111122223333:a:b",
  "ses:111122223333:",
  `ses:111122223333:${"a".repeat(65)}`,
  "ses:1111222233334:shop",
  "ses-received:a b",
])("%s is no sender's name", async (name) => {
  const [command, ...rest] = `add-sender ${options}`.split(" ") as [string, ...string[]];
  const { status, stderr } = await admin([command, name, ...rest]);

  expect(status).toBe(2);
  expect(stderr.join()).toContain("It takes ses:AWS_ACCOUNT:CONFIGURATION_SET or ses-received:DOMAIN.");
});
