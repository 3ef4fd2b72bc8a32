import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { admin, adminJson } from "../../harness/admin.ts";
import { bearer, call, startService } from "../../harness/service.ts";

const day = 24 * 60 * 60 * 1000;

test("Prints the key once, for a new account and everything when neither is named", async () => {
  const { status, stdout } = await admin("create-api-key");

  expect(status).toBe(0);
  expect(stdout.join("\n").split("\n")).toEqual([
    expect.stringMatching(/^API key {3}emk_[\w-]{43} /),
    expect.stringMatching(/^id {8}[0-9a-f]{64} /),
    expect.stringMatching(/^account {3}[0-9a-f-]{36}$/),
    "scopes    *",
    "expires   never",
  ]);
});

test("--json prints one object, and nothing else", async () => {
  const account = randomUUID();

  const [printed, ...others] = await adminJson(
    `create-api-key --account ${account.toUpperCase()} --scope messages:read:{Example.COM} ` +
      "--scope accounts:members:add --label shop --expires-in 90d",
  );

  expect(others).toEqual([]);
  const { expires_at, ...key } = printed;
  expect(key).toEqual({
    api_key: expect.stringMatching(/^emk_/),
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    account_id: account,
    scopes: ["messages:read:{example.com}", "accounts:members:add"],
  });
  expect((Date.parse(expires_at) - Date.now()) / day).toBeCloseTo(90, 2);
});

test("The key works at once", async () => {
  const url = await startService(Date.now);
  const [{ api_key, account_id }] = await adminJson("create-api-key");

  const { status } = await call(`${url}/v2/accounts/${account_id}/messages/${randomUUID()}`, {
    headers: bearer(api_key),
  });

  expect(status).toBe(404);
});

test.each([
  ["--account x", /^option '--account <uuid>' argument 'x' is invalid. It takes a UUID.$/],
  ["--scope messages:write", /'messages:write' is invalid. It takes \*, messages:read:all, .+$/],
  ["--expires-in soon", /'soon' is invalid. It takes a time such as 90d, 12h or 30m.$/],
  ["--expires-in 0", /'0' is invalid/],
  ["--label=", /'' is invalid. It takes a text that is not empty.$/],
])("%s is refused in one line", async (options, complaint) => {
  const { status, stdout, stderr } = await admin(`create-api-key ${options}`);

  expect(stderr).toEqual([expect.stringMatching(complaint)]);
  expect(stdout).toEqual([]);
  expect(status).toBe(2);
});

test("A label is in use by at most one key of an account", async () => {
  const account = randomUUID();
  const create = `create-api-key --label shop --account ${account}`;
  const [{ id }] = await adminJson(create);

  const second = await admin(create);
  await admin(`revoke-api-key ${id}`);
  const third = await admin(create);

  expect(second).toMatchObject({
    status: 2,
    stdout: [],
    stderr: ["shop: a key of the account already has this label"],
  });
  expect(third.status).toBe(0);
});
