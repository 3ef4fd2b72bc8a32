import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createApiKey, listApiKeys } from "../../../lib/api-keys/store.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { table } from "../../harness/service.ts";

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test("Shows each key of the account, the oldest first, and no secret", async () => {
  const account = randomUUID();
  const [first] = await adminJson(`create-api-key --account ${account} --label shop --expires-in 1d`);
  const [second] = await adminJson(`create-api-key --account ${account} --scope messages:read:all`);
  await adminJson(`create-api-key --account ${randomUUID()}`);
  await admin(`revoke-api-key ${second.id}`);

  const listed = await adminJson(`list-api-keys --account ${account}`);

  expect(listed).toEqual([
    {
      id: first.id,
      label: "shop",
      scopes: ["*"],
      created_at: timestamp,
      expires_at: first.expires_at,
      revoked_at: null,
    },
    {
      id: second.id,
      label: null,
      scopes: ["messages:read:all"],
      created_at: timestamp,
      expires_at: null,
      revoked_at: timestamp,
    },
  ]);
});

test("Is a table for a person, and empty for an account without keys", async () => {
  const account = randomUUID();
  const [{ id }] = await adminJson(`create-api-key --account ${account} --label shop`);

  const { stdout } = await admin(`list-api-keys --account ${account}`);
  const none = await admin(`list-api-keys --account ${randomUUID()}`);

  expect(stdout).toEqual([
    expect.stringMatching(/^id {64}label {2}scopes {2}created_at {16}expires_at {2}revoked_at$/),
    expect.stringMatching(`^${id}  shop   \\*       20.{22}  -           -$`),
  ]);
  expect(none).toMatchObject({ status: 0, stdout: [], stderr: [] });
});

test("Reads the keys of an account 20 at a time, however many there are", async () => {
  const account_id = randomUUID();
  for (let count = 0; count < 50; count++) {
    await createApiKey(table, { account_id, scopes: ["*"] }, Date.now());
  }
  let underWay = 0;
  let most = 0;
  const counted = interceptedTable(table, async (command, proceed) => {
    if (command.constructor.name === "GetCommand") most = Math.max(most, ++underWay);
    const output = await proceed();
    if (command.constructor.name === "GetCommand") underWay--;
    return output;
  });

  expect(await listApiKeys(counted, account_id, Date.now())).toHaveLength(50);
  expect(most).toBe(20);
});
