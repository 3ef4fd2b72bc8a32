/** `prepare-table --from`: a day's work on a table, a restore to its morning, and what the command takes away again. */
import { randomBytes, randomUUID } from "node:crypto";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { createApiKey, revokeApiKey, rotateApiKey } from "../../../lib/api-keys/store.ts";
import { newUser, removeMember, setMemberRole } from "../../../lib/members/store.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../../lib/messages/remove/remove-content.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { apiKeyKey, apiKeyListingKey, headKey, userKey } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { cutAfterWrites, interceptAll } from "../../harness/intercepted-table.ts";
import { attempted, newMessage, opened, recordEvent } from "../../harness/service.ts";
import { freshTable, itemsIn, join, restore } from "../../harness/tables.ts";

/** Two segments, because random bytes don't compress. */
const raw = randomBytes(120_000);

/** Replaces the bytes of a segment by a single one. No command here reads them, and the tests copy each table often. */
const shortened = <Item extends object>(item: Item): Item =>
  "bytes" in item ? { ...item, bytes: Uint8Array.of(0) } : item;

const account_id = randomUUID();
const later = Date.now() + 3_600_000; // after any table of this file was created

const createKey = async (table: Table, now = Date.now()) =>
  (await createApiKey(table, { account_id, scopes: ["*"] }, now)).apiKey;

const store = async (table: Table, email: Buffer | null = raw) => {
  const message = newMessage({ account_id });
  await storeMessage(table, message, email, Date.now());
  return message;
};

const forget = (table: Table, Key: object) => table.client.send(new DeleteCommand({ TableName: table.name, Key }));

/** A further page has a partition of its own, whose key begins with the message's. */
const contentOf = (pk: string, sk: string): string =>
  [pk.split("#").slice(0, 3).join("#"), sk.split("#").slice(0, 2).join("#")].join(" ");

/** What the table grants and shows: usable keys with their expiry, people, readable messages, and blocked ids. */
const viewOf = async (table: Table) => {
  const items = await itemsIn(table);
  const now = Date.now() / 1000;
  const live = items.filter(({ expires_at }) => expires_at === undefined || Number(expires_at) > now);
  const heads = live.filter(({ sk, created_at }) => sk === "HEAD" && created_at !== undefined);
  const contents = new Set(heads.map(({ pk, content_digest }) => `${pk} SEGMENT#${content_digest}`));
  const segments = items.filter(({ sk }) => sk.startsWith("SEGMENT#"));
  return {
    keys: live
      .filter(({ sk, revoked_at }) => sk === "API_KEY" && !revoked_at)
      .map(({ id, expires_at }) => [id, expires_at]),
    members: live.filter(({ sk }) => sk.startsWith("MEMBER#")).map(({ id, role }) => [id, role]),
    users: live.filter(({ sk }) => sk === "USER").map(({ id }) => id),
    messages: heads.map(({ id, segments, content_removed_at }) => [id, segments, content_removed_at !== undefined]),
    blocked: items.filter(({ deleted_at }) => deleted_at).map(({ pk }) => pk),
    leftovers: segments.filter(({ pk, sk }) => !contents.has(contentOf(pk, sk))).map(({ sk }) => sk),
  };
};

/** Returns a table after a day's work, the items that it had in the morning, and what a restore may leave of them. */
const workDay = async () => {
  const old = await freshTable();
  const keys = [await createKey(old), await createKey(old), await createKey(old), await createKey(old)] as const;
  const [revoked, rotated, gone, kept] = keys;
  const [ada, bob, eve] = [
    await join(old, account_id, "ada@example.com"),
    await join(old, account_id, "bob@example.com"),
    await join(old, account_id, "eve@example.com"),
  ];
  const [deleted, emptied, whole] = [await store(old), await store(old), await store(old)];
  const morning = (await itemsIn(old)).map(shortened);

  await revokeApiKey(old, revoked.id, Date.now());
  const rotation = await rotateApiKey(old, rotated.id, 24 * 60 * 60, Date.now());
  await rotation?.replace();
  await forget(old, apiKeyKey(gone.id)); // as TTL does it, if the key was replaced
  await removeMember(old, ada);
  await join(old, account_id, ada.email, ada.user); // She comes back with another membership.
  await setMemberRole(old, bob, "Billing Manager", Date.now());
  await removeMember(old, eve);
  await forget(old, userKey(eve.email));
  await deleteMessage(old, deleted, Date.now());
  await removeContent(old, emptied, Date.now());
  const brief = await store(old, null);
  await deleteMessage(old, brief, Date.now());

  const expires_at = rotation?.old.expires_at;
  const expected = {
    keys: [
      [kept.id, undefined],
      [rotated.id, expires_at],
    ].sort(),
    members: [[bob.id, "Analyst"]],
    users: [ada.user.id, bob.user.id],
    messages: [
      [emptied.id, 0, true],
      [whole.id, 2, false],
    ].sort(),
    blocked: [`MARKER#${account_id}#${deleted.id}`, `MARKER#${account_id}#${brief.id}`].sort(),
    leftovers: [],
  };
  return { old, morning, expected, bob };
};

let day: Awaited<ReturnType<typeof workDay>>;
beforeAll(async () => {
  day = await workDay();
});

const counts = (
  keys: number,
  expiries: number,
  members: number,
  users: number,
  messages: number,
  contents: number,
  ids: number,
  roles: number,
  keysOfRestored = 0,
) => [
  `${keys}  keys revoked`,
  `${expiries}  keys that expire earlier`,
  `${members}  members removed`,
  `${users}  users deleted`,
  `${messages}  messages deleted`,
  `${contents}  contents removed`,
  `${ids}  deleted ids blocked`,
  `${roles}  roles that differ`,
  `${keysOfRestored}  keys that only the restored table has`,
];

const countsIn = (stdout: string[]): string[] =>
  stdout.filter((line) => /^ +\d+ {2}(?!only|copied)/.test(line)).map((line) => line.trim());

test("A restored table loses what the old one lost after the restore point, and nothing else", async () => {
  const { old, morning, expected, bob } = day;
  const restored = await restore(morning);

  const first = await admin(`prepare-table --from ${old.name}`, { terminal: true });
  const view = await viewOf(restored);
  const again = await admin(`prepare-table --from ${old.name}`);

  expect(view).toMatchObject(expected);
  expect([first.status, first.stderr]).toEqual([0, []]);
  expect(countsIn(first.stdout)).toEqual(counts(2, 1, 2, 1, 1, 1, 1, 1));
  expect(first.stdout).toContain(
    `kept   ${bob.email} of ${account_id} as Analyst, but ${old.name} has Billing Manager: see set-member-role`,
  );
  expect(first.stdout.filter((line) => line.includes("Reading it costs "))).toHaveLength(2);
  expect(first.terminal).toContain(" pages ");
  expect(countsIn(again.stdout)).toEqual(counts(0, 0, 0, 0, 0, 0, 0, 1));
  expect(await viewOf(restored)).toEqual(view);
});

test("With --json, each kind is an object, and what the restored table created itself stays", async () => {
  const { old, morning, expected, bob } = day;
  const restored = await restore(morning);
  const key = await createKey(restored, Date.now() - 3_600_000); // by a clock that is slow
  const member = await join(restored, randomUUID(), "new@example.com");
  const Item = { ...member, user: undefined, created_at: new Date(later).toISOString() };
  const Key = { pk: `ACCOUNT#${member.account_id}`, sk: `MEMBER#${member.user_id}` };
  await restored.client.send(new PutCommand({ TableName: restored.name, Item: { ...Key, ...Item } }));

  const before = await itemsIn(restored);
  const printed = await adminJson(`prepare-table --from ${old.name}`);

  expect(printed).toContainEqual({ table: restored.name, from: old.name, kind: "keys revoked", count: 2 });
  expect(printed).toContainEqual({ account_id, id: key.id, label: null });
  const { user_id, email } = bob;
  expect(printed).toContainEqual({ account_id, user_id, email, role: "Analyst", old_role: "Billing Manager" });
  const sizes = printed.filter(({ scan_dollars }) => scan_dollars !== undefined);
  expect(sizes.map(({ table, items }) => [table, items])).toEqual([
    [old.name, (await itemsIn(old)).length],
    [restored.name, before.length],
  ]);
  const { keys, members } = await viewOf(restored);
  expect(keys.sort()).toEqual([...expected.keys, [key.id, undefined]].sort());
  expect(members).toContainEqual([member.id, "Analyst"]);
});

test("What only the old table has is listed, and with --copy copied whole, once", async () => {
  const old = await freshTable();
  const [changed] = [await store(old, null)];
  const morning = await itemsIn(old);
  const [key, member, message] = [
    await createKey(old),
    await join(old, account_id, "new@example.com"),
    await store(old, randomBytes(900_000)),
  ];
  const erased = await store(old, null);
  await recordEvent(message, attempted(Date.now()), Date.now(), old);
  await recordEvent(changed, opened, Date.now(), old);
  const restored = await restore(morning);
  await deleteMessage(restored, erased, Date.now(), { force: true });

  const updatedIn = async (table: Table) =>
    (await itemsIn(table)).find(({ sk, id }) => sk === "HEAD" && id === changed.id)?.updated_at;
  const times = { updated_at: await updatedIn(old), restored_updated_at: await updatedIn(restored) };

  const listed = await adminJson(`prepare-table --from ${old.name}`);
  const text = await admin(`prepare-table --from ${old.name}`);
  const untouched = await itemsIn(restored);
  const copied = await admin(`prepare-table --from ${old.name} --copy`);
  const again = await admin(`prepare-table --from ${old.name} --copy`);

  const only = listed.filter(({ copied }) => copied === false);
  const { user_id, email, role } = member;
  const time = expect.any(String);
  expect(only).toEqual([
    { kind: "user", id: user_id, email, created_at: member.user.created_at, copied: false },
    { kind: "member", account_id, id: member.id, user_id, email, role, copied: false },
    { kind: "key", account_id, id: key.id, label: null, created_at: key.created_at, copied: false },
    { kind: "message", account_id, id: message.id, created_at: time, copied: false },
    { kind: "message that differs", account_id, id: changed.id, ...times, copied: false },
  ]);
  expect(text.stdout.at(-1)).toMatch(/^ +5 {2}only in \S+\. --copy copies what is missing here$/);
  expect(text.stdout).toContain(`only in ${old.name}   member   ${account_id} ${user_id}   ${email}, ${role}`);
  expect(copied.stdout).toContain(
    `kept   message that differs   ${account_id} ${changed.id}   ` +
      `changed at ${times.updated_at}, and in the restored table at ${times.restored_updated_at}`,
  );
  const isOf = ({ pk }: { pk: string }) => pk.includes(erased.id) || pk.includes(changed.id);
  expect(untouched.filter((item) => !isOf(item))).toEqual([]);
  expect(copied.stdout.slice(-2).map((line) => line.trim())).toEqual(["4  copied", "1  not copied"]);
  const withoutEvents = (await itemsIn(old)).filter((item) => !item.pk.startsWith("EVENT#") && !isOf(item));
  expect((await itemsIn(restored)).filter((item) => !isOf(item))).toEqual(withoutEvents);
  expect(again.stdout.filter((line) => line.startsWith("copied"))).toEqual([]);
  const stderr = ["--copy requires --from"];
  expect(await admin("prepare-table --copy")).toMatchObject({ status: 2, stdout: [], stderr });
});

/** The lines about what only the old table has. */
const onlyIn = (stdout: string[]): string[] => stdout.filter((line) => /^(copied|not copied|kept) /.test(line));

test("What has expired, or was revoked or emptied since, is neither listed nor copied", async () => {
  const old = await freshTable();
  const expired = { account_id, scopes: ["*"], expires_at: 1 };
  await createKey(old);
  const emptied = await store(old);
  const { apiKey } = await createApiKey(old, expired, Date.now());
  const morning = (await itemsIn(old)).map(shortened);
  for (const key of [apiKeyKey(apiKey.id), apiKeyListingKey(account_id, apiKey.id)]) await forget(old, key); // by TTL
  await removeContent(old, emptied, Date.now());
  await revokeApiKey(old, (await createKey(old)).id, Date.now());
  await createApiKey(old, expired, Date.now());
  await restore(morning);

  const { stdout } = await admin(`prepare-table --from ${old.name} --copy`);

  expect(countsIn(stdout)).toEqual(counts(0, 0, 0, 0, 0, 1, 0, 0));
  expect(onlyIn(stdout)).toEqual([]);
});

test("Whoever wrote it with a clock that was ahead, a key, a member and a user go, and their successors are copied", async () => {
  const old = await freshTable();
  const key = await createKey(old, later); // Operators' clocks may be wrong by any time, functions' by seconds.
  const ada = await join(old, account_id, "ada@example.com");
  const created_at = new Date(Date.now() + 30_000).toISOString();
  const morning = (await itemsIn(old)).map((item) => (item.email === ada.email ? { ...item, created_at } : item));
  await revokeApiKey(old, key.id, Date.now());
  await removeMember(old, ada);
  await forget(old, userKey(ada.email));
  const successor = await join(old, account_id, ada.email);
  const restored = await restore(morning);

  const { stdout } = await admin(`prepare-table --from ${old.name} --copy`);

  expect(countsIn(stdout)).toEqual(counts(1, 0, 1, 1, 0, 0, 0, 0));
  expect(onlyIn(stdout)).toEqual([
    `copied   user   ${successor.user.id}   ${ada.email}`,
    `copied   member   ${account_id} ${successor.user.id}   ${ada.email}, Analyst`,
  ]);
  const { keys, members, users } = await viewOf(restored);
  expect({ keys, members, users }).toEqual({
    keys: [],
    members: [[successor.id, "Analyst"]],
    users: [successor.user.id],
  });
});

test("--copy writes nothing where the restored table has deleted a message or has another user", async () => {
  const old = await freshTable();
  await createKey(old);
  const morning = await itemsIn(old);
  const { user, email } = await join(old, account_id, "new@example.com");
  const message = await store(old);
  const restored = await restore(morning);
  await join(restored, randomUUID(), email, newUser(email, later));
  await deleteMessage(restored, message, Date.now(), { force: true });
  await forget(restored, headKey(account_id, message.id)); // as TTL does it with a tombstone
  await admin(`prepare-table --from ${old.name}`);
  const before = await itemsIn(restored);

  const { stdout } = await admin(`prepare-table --from ${old.name} --copy`);

  expect(onlyIn(stdout)).toEqual([
    `not copied   user   ${user.id}   ${email}`,
    `not copied   member   ${account_id} ${user.id}   ${email}, Analyst`,
    expect.stringMatching(`^not copied   message   ${account_id} ${message.id} `),
  ]);
  const asJson = await adminJson(`prepare-table --from ${old.name} --copy`);
  expect(asJson.filter(({ copied }) => copied !== undefined).map(({ copied }) => copied)).toEqual(Array(3).fill(false));
  expect(await itemsIn(restored)).toEqual(before);
});

test("After a power cut during a copy, no message is there in part, and running it again copies the rest", async () => {
  const old = await freshTable();
  await createKey(old);
  const morning = await itemsIn(old);
  await store(old);
  const whole = await itemsIn(old);
  const restored = await restore(morning);

  const wasCut = await cutAfterWrites(3, () => admin(`prepare-table --from ${old.name} --copy`)); // before the last
  const heads = (await itemsIn(restored)).filter(({ sk }) => sk === "HEAD");
  await admin(`prepare-table --from ${old.name} --copy`);

  expect({ wasCut, heads }).toEqual({ wasCut: true, heads: [] });
  expect(await itemsIn(restored)).toEqual(whole);
});

test("After a power cut before any write, running it again takes away the rest", async () => {
  const { old, morning, expected } = day;
  for (let writes = 0, wasCut = true; wasCut; writes++) {
    const restored = await restore(morning);

    wasCut = await cutAfterWrites(writes, () => admin(`prepare-table --from ${old.name}`));
    const { status } = await admin(`prepare-table --from ${old.name}`);

    expect(status).toBe(0);
    expect(await viewOf(restored)).toMatchObject(expected);
  }
});

/** Lets a call of a command fail, or gives it another response. */
const intercept = (name: string, on: string, act: () => unknown) =>
  interceptAll((command, proceed) => {
    const isIt = command.constructor.name === name && command.input.TableName === on;
    return isIt ? act() : proceed();
  });

const isProtected = async (TableName: string) =>
  (await new DynamoDBClient().send(new DescribeTableCommand({ TableName }))).Table?.DeletionProtectionEnabled;

test.each<[string, (old: Table, restored: Table) => Promise<string> | string, number, RegExp]>([
  ["does not exist", () => "no-such-table", 1, /^There is no table named no-such-table$/],
  ["is the same", (_, restored) => restored.name, 2, / is the table itself$/],
  [
    "can be described but not read",
    (old) => {
      intercept("ScanCommand", old.name, () => {
        throw Object.assign(new Error("not authorized to perform dynamodb:Scan"), { $fault: "client" });
      });
      return old.name;
    },
    1,
    /^DynamoDB reported an error: not authorized to perform dynamodb:Scan$/,
  ],
  [
    "is newer, because the two names were swapped",
    (old) => {
      const Table = { TableArn: "another", CreationDateTime: new Date(later) };
      intercept("DescribeTableCommand", old.name, () => ({ Table }));
      return old.name;
    },
    2,
    / is newer than \S+ TABLE_NAME is the restored table, --from the old one$/,
  ],
  [
    "belongs to another stack, where the same people are users",
    async (_, restored) => {
      const other = await freshTable();
      await createKey(other);
      for (const { email } of (await itemsIn(restored)).filter(({ sk }) => sk === "USER")) {
        await join(other, randomUUID(), String(email));
      }
      vi.stubEnv("TABLE_NAME", restored.name);
      const Table = { TableArn: "another", CreationDateTime: new Date(0) };
      intercept("DescribeTableCommand", other.name, () => ({ Table }));
      return other.name;
    },
    1,
    / has nothing in common with \S+, so it is no copy of it$/,
  ],
])("Nothing is changed if the old table %s", async (_, choose, status, fault) => {
  const { old, morning } = day;
  const restored = await restore(morning);
  const from = await choose(old, restored);

  const ran = await admin(`prepare-table --from ${from}`);
  vi.restoreAllMocks();

  expect(ran).toMatchObject({ status, stdout: [], stderr: [expect.stringMatching(fault)] });
  expect(await itemsIn(restored)).toEqual(morning);
  expect(await isProtected(restored.name)).toBeFalsy();
});

test("Whatever happened after the restore point, no right and no data is added", async () => {
  type Act = (table: Table, index: number) => Promise<unknown>;
  const morningOf = async () => {
    const table = await freshTable();
    const keys = [await createKey(table), await createKey(table), await createKey(table)];
    const members = [await join(table, account_id, "a@b.example"), await join(table, account_id, "c@d.example")];
    const messages = [await store(table, null), await store(table), await store(table)];
    const at = <T>(list: T[], index: number): T => list[index % list.length] as T;
    const acts: Act[] = [
      (on, index) => revokeApiKey(on, at(keys, index).id, Date.now()),
      async (on, index) => (await rotateApiKey(on, at(keys, index).id, index * 60, Date.now()))?.replace(),
      (on, index) => forget(on, apiKeyKey(at(keys, index).id)),
      (on) => createKey(on),
      (on, index) => removeMember(on, at(members, index)),
      (on, index) => join(on, randomUUID(), at(members, index).email, at(members, index).user),
      (on, index) => deleteMessage(on, at(messages, index), Date.now()),
      (on, index) => removeContent(on, at(messages, index), Date.now()),
      (on) => store(on),
    ];
    return { table, acts };
  };
  const work = fc.array(fc.tuple(fc.nat(8), fc.nat(5)), { maxLength: 6 });

  await fc.assert(
    fc.asyncProperty(work, work, async (before, after) => {
      const { table: old, acts } = await morningOf();
      for (const [act, index] of before) await acts[act]?.(old, index);
      const morning = await viewOf(old);
      const items = (await itemsIn(old)).map(shortened);
      for (const [act, index] of after) await acts[act]?.(old, index);
      const evening = await viewOf(old);
      const restored = await restore(items);

      const { status, stderr } = await admin(`prepare-table --from ${old.name}`);

      expect([status, stderr]).toEqual([0, []]);
      const view = await viewOf(restored);
      const both = (name: "keys" | "members" | "messages") => {
        const ids = new Set(morning[name].map(([id]) => id));
        return evening[name].filter(([id]) => ids.has(id));
      };
      expect(view.keys).toEqual(both("keys"));
      expect(view.members).toEqual(both("members"));
      expect(view.messages).toEqual(both("messages"));
      expect(view.blocked).toEqual(evening.blocked);
      expect(view.leftovers).toEqual([]);
    }),
    { numRuns: Math.ceil(Number(process.env.PROPERTY_CASES ?? 16) / 4) },
  );
});
