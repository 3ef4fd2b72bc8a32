/** `create-api-key`, `list-api-keys`, `rotate-api-key` and `revoke-api-key`. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { idOfSecret } from "../../../lib/api-keys/api-key.ts";
import * as store from "../../../lib/api-keys/store.ts";
import type { Clock } from "../../../lib/table/expiry.ts";
import { dayMilliseconds } from "../../../lib/time/clock.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { interceptAll, interceptedTable } from "../../harness/intercepted-table.ts";
import { bearer, call, startService, table } from "../../harness/service.ts";

const hour = 60 * 60 * 1000;
const unusable = "no such key, or it was revoked or has expired";

type Key = { api_key: string; id: string; account_id: string; expires_at: string };
const create = async (options = "", scope = "*"): Promise<Key> =>
  (await adminJson(`create-api-key --scope ${scope} ${options}`))[0];
const list = (account: string) => adminJson(`list-api-keys --account ${account}`);

/** Returns the status of a request with each key: 404 if the key works, otherwise 401. */
const statuses = async (keys: Key[], clock: Clock = Date.now): Promise<number[]> => {
  const url = await startService(clock);
  const responses = keys.map(({ api_key, account_id }) =>
    call(`${url}/v2/accounts/${account_id}/messages/${randomUUID()}`, { headers: bearer(api_key) }),
  );
  return (await Promise.all(responses)).map(({ status }) => status);
};

test("A key is printed once, by default for a new account, and works at once", async () => {
  const { status, stdout } = await admin("create-api-key --scope *");

  expect(status).toBe(0);
  expect(stdout).toEqual([
    expect.stringMatching(/^API key {3}emk_[\w-]{43} /),
    expect.stringMatching(/^id {8}[0-9a-f]{64} /),
    expect.stringMatching(/^account {3}[0-9a-f-]{36}$/),
    "scopes    *",
    "expires   never",
  ]);
  expect(await statuses([await create()])).toEqual([404]);
});

test("--json prints one object", async () => {
  const account = randomUUID();

  const [{ expires_at, ...key }, ...others] = await adminJson(
    `create-api-key --account ${account.toUpperCase()} --scope messages:read:{Example.COM} ` +
      "--scope accounts:members:add --label shop --expires-in 90d",
  );

  expect(others).toEqual([]);
  expect(key).toEqual({
    api_key: expect.stringMatching(/^emk_/),
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    account_id: account,
    scopes: ["messages:read:{example.com}", "accounts:members:add"],
  });
  expect((Date.parse(expires_at) - Date.now()) / dayMilliseconds).toBeCloseTo(90, 2);
});

test("A label is in use by at most one key of an account", async () => {
  const command = `create-api-key --scope * --label shop --account ${randomUUID()}`;
  const [{ id }] = await adminJson(command);

  const stderr = ["shop: a key of the account already has this label"];
  expect(await admin(command)).toMatchObject({ status: 2, stdout: [], stderr });
  await admin(`revoke-api-key ${id}`);
  expect(await admin(command)).toMatchObject({ status: 0 });
});

test("list-api-keys lists each key of the account, the oldest first, without its secret", async () => {
  const account = randomUUID();
  const first = await create(`--account ${account} --label shop --expires-in 1d`);
  const second = await create(`--account ${account}`, "messages:read:all");
  await admin(`revoke-api-key ${second.id}`);

  const listed = await list(account);
  const { stdout } = await admin(`list-api-keys --account ${account}`);
  const none = await admin(`list-api-keys --account ${randomUUID()}`);

  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { id, expires_at } = first;
  const scopes = ["messages:read:all"];
  expect(listed).toEqual([
    { id, label: "shop", scopes: ["*"], created_at: time, expires_at, revoked_at: null },
    { id: second.id, label: null, scopes, created_at: time, expires_at: null, revoked_at: time },
  ]);
  expect(stdout).toEqual([
    expect.stringMatching(/^id {64}label {2}scopes +created_at +expires_at +revoked_at$/),
    expect.stringMatching(`^${id}  shop   \\*  +20.{22}  20.{22}  -$`),
    expect.stringMatching(`^${second.id}  -      messages:read:all  20.{22}  - +20.{22}$`),
  ]);
  expect(none).toMatchObject({ status: 0, stdout: [], stderr: [] });
});

test("The keys of an account are read 20 at a time, however many there are", async () => {
  const account_id = randomUUID();
  for (let count = 0; count < 50; count++) {
    await store.createApiKey(table, { account_id, scopes: ["*"] }, Date.now());
  }
  let [reading, most] = [0, 0];
  const counted = interceptedTable(table, async (command, proceed) => {
    if (command.constructor.name !== "GetCommand") return proceed();
    most = Math.max(most, ++reading);
    return proceed().finally(() => reading--);
  });

  expect(await store.listApiKeys(counted, account_id, Date.now())).toHaveLength(50);
  expect(most).toBe(20);
});

test("After a rotation, both keys work and are listed until the grace time is over", async () => {
  const old = await create("--label shop", "messages:read:all");

  const [rotated] = await adminJson(`rotate-api-key ${old.id} --grace 12h`);

  const { expires_at } = rotated.replaces;
  const scopes = ["messages:read:all"];
  expect(rotated).toMatchObject({ account_id: old.account_id, scopes, expires_at: null });
  expect((Date.parse(expires_at) - Date.now()) / hour).toBeCloseTo(12, 1);
  expect(await statuses([old, rotated])).toEqual([404, 404]);
  expect(await statuses([old, rotated], () => Date.parse(expires_at))).toEqual([401, 404]);
  expect(await list(old.account_id)).toMatchObject([
    { id: old.id, label: "shop", expires_at },
    { id: rotated.id, label: "shop", expires_at: null },
  ]);
});

test("The grace time is 24 hours by default, and --grace 0 ends the old key at once", async () => {
  const { account_id } = await create("--label shop");
  const [rotated] = await adminJson(`rotate-api-key - --account ${account_id}`, "shop\n");
  const leaked = await create();

  expect(await admin("rotate-api-key - --grace 0", { input: leaked.api_key })).toMatchObject({ status: 0 });
  expect((Date.parse(rotated.replaces.expires_at) - Date.now()) / hour).toBeCloseTo(24, 1);
  expect(await statuses([leaked])).toEqual([401]);
});

test("A rotation prints the new key, and until when the old one works", async () => {
  const { id, account_id } = await create("--expires-in 30d");

  const { stdout } = await admin(`rotate-api-key ${id} --grace 12h`);

  const [old, successor] = await list(account_id);
  expect(stdout).toEqual([
    expect.stringMatching(/^API key {3}emk_[\w-]{43} /),
    `id        ${successor.id}   (revoke the key with this id)`,
    `account   ${account_id}`,
    "scopes    *",
    `expires   ${successor.expires_at}`,
    `replaces  ${id}   (works until ${old.expires_at})`,
  ]);
});

test("The successor of a key of 30 days lasts 30 days, and the old key never lasts longer than before", async () => {
  const old = await create("--expires-in 30d");

  const [rotated] = await adminJson(`rotate-api-key ${old.id} --grace 60d`);

  expect((Date.parse(rotated.expires_at) - Date.now()) / hour).toBeCloseTo(30 * 24, 1);
  expect(rotated.replaces.expires_at).toBe(old.expires_at);
});

test.each([
  ["rotated with a shorter grace time", (id: string) => adminJson(`rotate-api-key ${id} --grace 1h`)],
  ["revoked", (id: string) => adminJson(`revoke-api-key ${id}`)],
])("A key that is %s meanwhile is not rotated, and the printed key never works", async (_, meanwhile) => {
  const { id, account_id } = await create();
  let expected: unknown[] = [];
  const written = async () => {
    await meanwhile(id);
    expected = await list(account_id);
  };

  const ran = await admin(`rotate-api-key ${id} --grace 7d --json`, { written });

  const stderr = [`${id}: the key was changed meanwhile. The printed key was not created: run the command again`];
  expect(ran).toMatchObject({ status: 1, stderr });
  expect(await statuses([{ account_id, ...JSON.parse(ran.stdout[0] ?? "") }])).toEqual([401]);
  expect(await list(account_id)).toEqual(expected);
});

test("A key that could not be printed is not created, and the one that it should replace works as before", async () => {
  const old = await create("--label shop");
  const written = () => Promise.reject(new Error("ENOSPC"));

  const created = await admin(`create-api-key --scope * --account ${old.account_id}`, { written });
  const rotated = await admin(`rotate-api-key ${old.id} --grace 0`, { written });

  const line = /^[\da-f]{64}: the new key could not be printed, so it was not created\./;
  expect(created).toMatchObject({ status: 1, stderr: [expect.stringMatching(line)] });
  expect(rotated).toMatchObject({ status: 1, stderr: [expect.stringMatching(`${old.id} works as before$`)] });
  expect(await list(old.account_id)).toMatchObject([{ id: old.id, expires_at: null, revoked_at: null }]);
});

test("If the table fails after a key was printed, the error says to revoke it", async () => {
  const old = await create();
  interceptAll(({ constructor: { name } }, proceed) => {
    if (/^(Put|TransactWrite)Command$/.test(name)) throw new Error("power cut");
    return proceed();
  });

  const created = await admin("create-api-key --scope *");
  const rotated = await admin(`rotate-api-key ${old.id}`);

  const line = /^[\da-f]{64}: revoke it, because the printed key may work or not: power cut$/;
  for (const ran of [created, rotated]) {
    expect(ran).toMatchObject({ status: 1, stderr: [expect.stringMatching(line)] });
  }
});

test("A label is looked for in the list of keys, and only the keys that have it are read", async () => {
  const account_id = randomUUID();
  for (const label of ["shop", "till", undefined, "shop"]) {
    await store.createApiKey(table, { account_id, scopes: ["*"], label }, Date.now());
  }
  const read: string[] = [];
  const counted = interceptedTable(table, (command, proceed) => {
    read.push(command.constructor.name);
    return proceed();
  });

  expect(await store.keysLabelled(counted, account_id, "shop", Date.now())).toHaveLength(2);
  expect(read).toEqual(["QueryCommand", "GetCommand", "GetCommand"]);
});

test("Rotating needs exactly one key that works", async () => {
  const [one, other] = [await create(), await create()];
  await admin(`revoke-api-key ${one.id}`);

  const two = await admin("rotate-api-key -", { input: `${one.api_key}\n${other.api_key}` });
  const revoked = await admin(`rotate-api-key ${one.id}`);

  expect(two).toMatchObject({ status: 2, stdout: [], stderr: ["The input names more than one key"] });
  expect(revoked).toMatchObject({ status: 1, stdout: [], stderr: [`${one.id}: ${unusable}`] });
  expect(await list(one.account_id)).toHaveLength(1);
});

test("A key is revoked by its id or by its label from the next request on, and once", async () => {
  const keys = [await create(), await create("--label shop --expires-in 1d")];
  const [byId, byLabel] = keys;

  const ran = await admin(`revoke-api-key ${byId?.id.toUpperCase()} shop --account ${byLabel?.account_id}`);
  const [again] = await adminJson(`revoke-api-key ${byId?.id}`);
  const third = await admin(`revoke-api-key ${byId?.id}`);

  expect(ran).toMatchObject({ status: 0, stdout: keys.map(({ id }) => `revoked   ${id}`), stderr: [] });
  expect(await statuses(keys)).toEqual([401, 401]);
  const [{ revoked_at }] = await list(byId?.account_id ?? "");
  expect(again).toEqual({ id: byId?.id, revoked: false, revoked_at });
  expect(third).toMatchObject({ status: 0, stdout: [`revoked   ${byId?.id}   (already, at ${revoked_at})`] });
});

test.each(["revoke-api-key shop", "revoke-api-key", "rotate-api-key"])(
  "%s rejects a key that is an argument, and changes nothing",
  async (command) => {
    const { id, account_id, api_key } = await create();

    const ran = await admin([...command.split(" "), `Bearer ${api_key}`]);

    const reason = /^A key is read from standard input only \(operand -\), because .+ Nothing was changed/;
    expect(ran).toMatchObject({ status: 2, stdout: [], stderr: [expect.stringMatching(reason)] });
    expect(await list(account_id)).toMatchObject([{ id, expires_at: null, revoked_at: null }]);
  },
);

test("Every key on standard input is revoked, wherever it occurs in a leak", async () => {
  const keys = await Promise.all(Array.from({ length: 6 }, () => create()));
  const [a, b, c, d, e, f] = keys.map(({ api_key }) => api_key);
  const json = JSON.stringify({ key: e, id: keys[4]?.id });
  const input = `\n${a}\r\nAuthorization: Bearer ${b}\n${c}, ${d} ${c}\n${json} ${f}-\n`;

  const ran = await admin("revoke-api-key -", { input });

  expect(ran).toMatchObject({ status: 0, stdout: keys.map(({ id }) => `revoked   ${id}`), stderr: [] });
  expect(await statuses(keys)).toEqual(Array(6).fill(401));
});

test("A leaked log is one text: its other digests and a line that equals a label fail nothing", async () => {
  const leaked = await create("--label shop");
  const bystander = await create(`--label db-1 --account ${leaked.account_id}`);
  const image = "9f".repeat(32);
  const log = `db-1\nimage sha256:${image}\nkey ${leaked.api_key}\nagain ${leaked.api_key}\nid ${leaked.id}\n`;

  const ran = await admin(`revoke-api-key - --account ${leaked.account_id}`, { input: log });

  expect(ran).toMatchObject({ status: 0, stdout: [`revoked   ${leaked.id}`], stderr: [] });
  expect(await statuses([leaked, bystander])).toEqual([401, 404]);
});

test.each([
  ["no key", () => "no key here"],
  ["a longer digest that begins and ends like a key's id", (id: string) => `sha512:${id}${id}`],
])("A text with %s ends with a sentence that says so", async (_, lineOf) => {
  const { id, account_id } = await create("--label db-1");

  const ran = await admin(`revoke-api-key - --account ${account_id}`, { input: `db-1\n${lineOf(id)}\n` });

  expect(ran).toMatchObject({
    status: 2,
    stdout: [],
    stderr: ["Standard input names no key: it contains neither emk_… nor an id"],
  });
});

test("An id that no key has is an error, unless the text names another one that has", async () => {
  const { id } = await create();
  const image = "9f".repeat(32);

  const unknown = await admin(`revoke-api-key ${image}`);
  const log = await admin("revoke-api-key -", { input: `${image} ${id}` });

  expect(unknown).toMatchObject({ status: 1, stdout: [], stderr: [`${image}: no such key`] });
  expect(log).toMatchObject({ status: 0, stdout: [`revoked   ${id}`], stderr: [] });
});

test("Of a log with a key and the digest of an image, the key is rotated", async () => {
  const leaked = await create();

  const ran = await admin("rotate-api-key - --grace 0", {
    input: `image sha256:${"9f".repeat(32)}\n${leaked.api_key}\n`,
  });

  expect(ran).toMatchObject({ status: 0, stderr: [] });
  expect(await statuses([leaked])).toEqual([401]);
});

test("A label of two keys revokes neither", async () => {
  const { id, account_id: account } = await create("--label shop");
  await adminJson(`rotate-api-key ${id}`);

  const ran = await admin(`revoke-api-key --account ${account} shop`);

  expect(ran).toMatchObject({ status: 1, stderr: ["shop: 2 keys have this label. Name a key by its id"] });
  expect((await list(account)).map(({ revoked_at }) => revoked_at)).toEqual([null, null]);
});

test("A key that cannot be revoked is reported without its secret, and the others are revoked", async () => {
  const other = await create();
  const unknown = `emk_${"x".repeat(43)}`;

  const { status, stdout, stderr } = await admin(`revoke-api-key - shop --account ${randomUUID()} ${other.id}`, {
    input: unknown,
  });
  const withoutAccount = await admin("revoke-api-key shop");
  const empty = await admin("revoke-api-key -", { input: "\n" });

  expect({ status, stdout }).toEqual({ status: 1, stdout: [`revoked   ${other.id}`] });
  expect(stderr).toEqual([`${idOfSecret(unknown)}: no such key`, `shop: ${unusable}`]);
  const stderrWithout = ["shop: neither an id nor a key. A label requires --account"];
  expect(withoutAccount).toMatchObject({ status: 2, stderr: stderrWithout });
  expect(empty).toMatchObject({ status: 2, stderr: ["Standard input is empty"] });
});
