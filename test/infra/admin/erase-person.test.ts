/** `erase-person` on a table of its own. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { DeleteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, test, vi } from "vitest";
import { createApiKey } from "../../../lib/api-keys/store.ts";
import type { NewMessage } from "../../../lib/messages/new-message.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { commitMessage } from "../../../lib/messages/write/commit-message.ts";
import { draftMessage } from "../../../lib/messages/write/draft-message.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { headKey, personKey } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { dayMilliseconds } from "../../../lib/time/clock.ts";
import { admin, adminJson } from "../../harness/admin.ts";
import { cutAfterWrites, interceptAll, interceptedTable } from "../../harness/intercepted-table.ts";
import { bearer, call, newMessage, noon, startService } from "../../harness/service.ts";
import { freshTable, itemsIn, join, restore } from "../../harness/tables.ts";
import { failingAfter } from "../../lib/messages/stored-message.ts";

const ada = "ada@example.org";

/** Two segments, because random bytes don't compress. */
const raw = randomBytes(120_000);

const store = async (table: Table, fields: Partial<NewMessage>, email: Buffer | null = raw) => {
  const message = newMessage({ account_id: randomUUID(), recipient: "bob@example.org", ...fields });
  await storeMessage(table, message, email, Date.now());
  return message;
};

/** Ada in every place where the table can have her address, beside Bob. */
const adaAndBob = async () => {
  const table = await freshTable();
  const bobs = await store(table, { tags: [ada] });
  const { user } = await join(table, bobs.account_id, ada);
  await join(table, randomUUID(), ada, user);
  await join(table, bobs.account_id, "bob@example.org");
  const kept = (await itemsIn(table)).filter(({ email }) => email !== ada);
  const messages = [
    await store(table, { account_id: bobs.account_id, sender: "Ada@EXAMPLE.org" }),
    await store(table, { recipient: ada, direction: "incoming" }, null),
    await store(table, { recipient: ada, subject: "Long ".repeat(20_000) }),
    await store(table, {
      sender: ada,
      subject: "Old ".repeat(20_000),
      retain_until: new Date(Date.now() - dayMilliseconds),
    }),
  ];
  return { table, kept, messages, user };
};

const daysUntil = (time: string | null): number | null =>
  time === null ? null : Math.round((Date.parse(time) - Date.now()) / dayMilliseconds);

/** The items of messages that exist, and of people: without tombstones and markers. */
const withoutRemains = (items: Awaited<ReturnType<typeof itemsIn>>) =>
  items.filter(({ pk, sk, id }) => !pk.startsWith("MARKER#") && !(sk === "HEAD" && id === undefined));

test("erase-person lists messages, members and the user after the price of the scan, and deletes nothing", async () => {
  const { table, messages, user } = await adaAndBob();
  const before = await itemsIn(table);

  const { status, stdout } = await admin(`erase-person ${ada} --scan`);
  const [size, ...found] = await adminJson("erase-person ADA@Example.org --scan");

  expect(status).toBe(0);
  expect(stdout[0]).toMatch(
    /^fresh-\S+: \d+\.\d{3} GB in [\d,]+ items at AWS's last count. Reading it costs less than a cent$/,
  );
  expect(stdout.at(-1)).toBe("found 4 messages, 2 members, 1 user. Nothing was deleted: --delete does");
  expect(size).toEqual({
    table: table.name,
    bytes: expect.any(Number),
    items: expect.any(Number),
    scan_dollars: expect.any(Number),
  });
  const ids = found.filter(({ kind }) => kind === "message").map(({ id }) => id);
  expect(ids.sort()).toEqual(messages.map(({ id }) => id).sort());
  expect(found.filter(({ kind }) => kind === "member")).toHaveLength(2);
  expect(found.at(-1)).toEqual({
    kind: "user",
    id: user.id,
    email: ada,
    created_at: user.created_at,
    deleted: false,
  });
  expect(await itemsIn(table)).toEqual(before);
});

test("With --delete, only tombstones and markers without an address remain, and nobody else loses anything", async () => {
  const { table, kept } = await adaAndBob();

  const first = await admin(`erase-person ${ada} --delete --scan`);
  const again = await admin(`erase-person ${ada} --verify --scan --local`);
  const record = (await adminJson(`erase-person ${ada} --verify --scan --local`)).at(-1);

  expect(first.stdout).toContain("deleted 4 messages, 2 members, 1 user");
  expect(first.stdout).toContainEqual(expect.stringMatching(/^remains: point-in-time recovery, until 20/));
  expect(first.stdout.at(-1)).toMatch(/^Run it with --verify after 20.+Z, when no event can wait any more$/);
  expect(again).toMatchObject({ status: 0, stderr: [] });
  expect(again.stdout.at(-1)).toBe("nothing found");
  expect(record).toMatchObject({ record: "verification", looked_into: ["index", "table"], deleted: [], left: [] });
  expect(record.not_reached.map(({ until }: { until: string | null }) => daysUntil(until))).toEqual([
    ...[null, 28, 28, 1],
    ...[null, null],
  ]);
  expect(withoutRemains(await itemsIn(table))).toEqual(withoutRemains(kept));
  const remains = (await itemsIn(table)).filter((item) => !kept.some(({ pk }) => pk === item.pk));
  const names = new Set(remains.map((item) => Object.keys(item).sort().join(" ")));
  expect(names).toEqual(new Set(["content_digest expires_at pk sk", "deleted_at pk sk"]));
});

test("After a power cut before any write, running it again deletes the rest", async () => {
  const original = await freshTable();
  await store(original, {});
  const kept = await itemsIn(original);
  await store(original, { recipient: ada });
  await join(original, randomUUID(), ada);
  const items = await itemsIn(original);
  for (let writes = 0, wasCut = true; wasCut; writes++) {
    const table = await restore(items);

    wasCut = await cutAfterWrites(writes, () => admin(`erase-person ${ada} --delete`));
    const { status } = await admin(`erase-person ${ada} --delete`);

    expect(status).toBe(0);
    const left = await itemsIn(table);
    expect(withoutRemains(left)).toEqual(withoutRemains(kept));
    expect(left.filter(({ person }) => person === personKey(ada))).toEqual([]); // no tombstone either
  }
});

test("A large table's size and price are printed in GB and dollars", async () => {
  await freshTable();
  const Table = { TableSizeBytes: 1024 ** 4, ItemCount: 90_000_000 };
  interceptAll(({ constructor: { name } }, proceed) => (name === "DescribeTableCommand" ? { Table } : proceed()));

  const { stdout } = await admin(`erase-person ${ada} --scan`);
  const [size] = await adminJson(`erase-person ${ada} --scan`);

  expect(size).toMatchObject({ bytes: 1024 ** 4, items: 90_000_000, scan_dollars: 16.7772 });
  expect(stdout[0]).toMatch(/ 1024.000 GB in 90,000,000 items at AWS's last count. Reading it costs \$16.78$/);
});

test("The whole table is scanned, however small its pages are", async () => {
  await adaAndBob();
  interceptAll((command, proceed) => {
    if (command.constructor.name === "ScanCommand") command.input.Limit = 1;
    return proceed();
  });

  const { stdout } = await admin(`erase-person ${ada} --scan`);

  expect(stdout.at(-1)).toMatch(/^found 4 messages, 2 members, 1 user\. /);
});

test("If a part of the table can't be read, nobody is told that nothing is left", async () => {
  await freshTable();
  interceptAll(({ input }, proceed) => {
    if (input.Segment === 7) throw new Error("power cut");
    return proceed();
  });

  const ran = await admin(`erase-person ${ada} --verify --scan --json`);

  expect(ran).toMatchObject({ status: 1, stdout: [expect.stringContaining("scan_dollars")], stderr: ["power cut"] });
});

test.each([
  ["content", "DeleteCommand", "deleted 1 unfinished"],
  ["tombstone", "PutCommand", "gone already: 1 unfinished, which somebody else deleted meanwhile"],
] as const)(
  "With --scan, a deletion of anybody's message that left its %s is found, and completed",
  async (...[, command, line]) => {
    const table = await freshTable();
    const { account_id, id } = await store(table, {});
    const failing = failingAfter(command, 1, table);
    await expect(deleteMessage(failing, { account_id, id }, Date.now())).rejects.toThrow("power cut");

    const listed = await admin(`erase-person ${ada} --scan`);
    const deleted = await admin(`erase-person ${ada} --delete --scan --local`);

    const left = "(left by an interrupted store or deletion)";
    expect(listed.stdout.at(-2)).toBe(`found   unfinished   ${account_id} ${id}   ${left}`);
    expect(deleted.stdout).toContain(line);
    expect(withoutRemains(await itemsIn(table))).toEqual([]);
    expect((await itemsIn(table)).filter(({ person }) => person)).toEqual([]);
  },
);

test("Several addresses are read from standard input for one scan, and a wrong one is rejected before it", async () => {
  const table = await freshTable();
  await store(table, { sender: "Grace@example.com" });
  await store(table, { recipient: "grace@xn--bcher-kva.example" });

  const found = await admin("erase-person - --scan", {
    input: "grace@example.com\ngrace@bücher.example\n",
    terminal: true,
  });
  const wrong = await admin("erase-person ada");

  expect(found.stdout.at(-1)).toMatch(/^found 2 messages\. /);
  expect(found.terminal).toContain(" pages ");
  expect(wrong).toMatchObject({ status: 2, stdout: [], stderr: ["ada: not an email address"] });
});

/** A request that adds Ada to an account. It has read her user, and writes nothing before it may `goOn`. */
const startAdding = async (table: Table) => {
  const account_id = randomUUID();
  const { secret } = await createApiKey(table, { scopes: ["*"], account_id }, noon);
  const arrived = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const url = await startService(
    undefined,
    interceptedTable(table, async (command, proceed) => {
      if (command.constructor.name === "TransactWriteCommand") {
        arrived.resolve();
        await free.promise;
      }
      return proceed();
    }),
  );
  const added = call(`${url}/v2/accounts/${account_id}/members`, {
    method: "POST",
    headers: { ...bearer(secret), "Content-Type": "application/json" },
    body: JSON.stringify({ email: ada, role: "Analyst" }),
  });
  await arrived.promise;
  return async (): Promise<number> => {
    free.resolve();
    return (await added).status;
  };
};

test("Whoever is added to an account while their user is deleted is erased, too", async () => {
  const table = await freshTable();
  await join(table, randomUUID(), ada);
  const goOn = await startAdding(table);
  const sleep = vi.fn(goOn);

  const { stdout, terminal } = await admin(`erase-person ${ada} --delete`, { sleep, terminal: true });

  expect(await goOn()).toBe(201);
  expect((await itemsIn(table)).filter(({ email }) => email === ada)).toEqual([]);
  expect(sleep.mock.calls).toEqual([[60_000], [5000]]);
  expect(terminal).toContain("waiting 60 s for requests that have read the deleted user\r\u001b[2K");
  expect(stdout).toContain("deleted 2 members, 1 user");
});

test("After somebody without a user, the second look waits only for the index", async () => {
  const table = await freshTable();
  await store(table, { recipient: ada });
  const sleep = vi.fn(async () => {});

  const { stdout } = await admin(`erase-person ${ada} --delete`, { sleep });

  expect(stdout).toContain("deleted 1 message");
  expect(sleep.mock.calls).toEqual([[5000]]);
});

test("Even if nothing is found, it waits for the index and looks again", async () => {
  const table = await freshTable();
  const sleep = vi.fn(async () => {
    if (sleep.mock.calls.length === 1) await store(table, { recipient: ada }, null);
  });

  const first = await admin(`erase-person ${ada} --delete`, { sleep });
  const again = await admin(`erase-person ${ada} --delete`, { sleep });

  expect(first.stdout).toContain("deleted 1 message");
  expect(again.stdout[0]).toBe("deleted nothing, because nothing was found");
  expect(sleep.mock.calls).toEqual([[5000], [5000], [5000]]);
});

test("If somebody keeps storing, it gives up after nine rounds", async () => {
  const table = await freshTable();
  const sleep = vi.fn(async () => void (await store(table, { recipient: ada }, null)));

  const ran = await admin(`erase-person ${ada} --delete`, { sleep });

  const stderr = ["Somebody keeps storing data of the person. Run the command again"];
  expect(ran).toMatchObject({ status: 1, stderr });
  expect(sleep).toHaveBeenCalledTimes(9);
});

test("Without --scan, nothing is scanned: what the person sent from an account or received in one is not found", async () => {
  const { table, messages } = await adaAndBob();
  const calls = vi.spyOn(DynamoDBDocumentClient.prototype, "send");

  const found = await adminJson("erase-person ADA@Example.org");

  expect(calls.mock.calls.map(([command]) => command.constructor.name)).not.toContain("ScanCommand");
  expect(found.map(({ kind }) => kind).sort()).toEqual(["member", "member", "message", "user"]);
  expect(found.find(({ kind }) => kind === "message").id).toBe(messages[2]?.id);
  expect(await itemsIn(table)).not.toEqual([]);
});

test("What an interrupted import left is found by the index, deleted at once, and the import can't go on", async () => {
  const original = await freshTable();
  const message = newMessage({ account_id: randomUUID(), recipient: ada });
  const email = randomBytes(1_200_000);
  for (let writes = 0, wasCut = true; wasCut; writes++) {
    const table = await restore(await itemsIn(original));
    wasCut = await cutAfterWrites(writes, () =>
      storeMessage(table, message, email, Date.now()).catch((error) => expect(error.message).toBe("power cut")),
    );

    const listed = await adminJson("erase-person hello@example.com");
    const { status, stdout } = await admin(`erase-person ${ada} --delete --json`);

    // The account's own side is in the index with the list of pages.
    expect(listed.map(({ kind }) => kind)).toEqual(wasCut && writes > 1 ? ["unfinished"] : []);
    const record = JSON.parse(stdout.at(-1) ?? "");
    expect(status).toBe(0);
    const kind = wasCut ? "unfinished" : "message";
    expect(record.deleted).toEqual(writes === 0 ? [] : [{ kind, account_id: message.account_id, id: message.id }]);
    expect(withoutRemains(await itemsIn(table))).toEqual([]);
  }
});

test("A deletion that was interrupted, and whose tombstone TTL has purged, is found by the index", async () => {
  const table = await freshTable();
  const { account_id, id } = await store(table, { recipient: ada });
  const failing = { ...failingAfter("DeleteCommand", 1), name: table.name };
  await expect(deleteMessage(failing, { account_id, id }, Date.now())).rejects.toThrow("power cut");
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: headKey(account_id, id) }));

  const before = await admin(`erase-person ${ada} --verify`);
  const asJson = await admin(`erase-person ${ada} --verify --json`);
  const deleted = await admin(`erase-person ${ada} --delete`);

  expect(before).toMatchObject({ status: 1, stderr: ["1 unfinished left: --delete deletes them"] });
  expect(asJson).toMatchObject({ status: 1, stderr: before.stderr });
  const left = [{ kind: "unfinished", account_id, id }];
  expect(JSON.parse(asJson.stdout.at(-1) ?? "")).toMatchObject({ record: "verification", looks: 1, deleted: [], left });
  expect(deleted.stdout).toContain("deleted 1 unfinished");
  expect(withoutRemains(await itemsIn(table))).toEqual([]);
});

test("Of two operators at once, one deletes each thing, and the other says that it was gone already", async () => {
  const table = await freshTable();
  for (let count = 0; count < 19; count++) await store(table, { recipient: ada });
  await join(table, randomUUID(), ada);

  const ran = await Promise.all([1, 2].map(() => adminJson(`erase-person ${ada} --delete`)));

  const records = ran.map((lines) => lines.at(-1));
  const claimed = records.flatMap(({ deleted }) =>
    deleted.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`),
  );
  expect(claimed).toHaveLength(21);
  expect(new Set(claimed).size).toBe(21);
  expect(records.flatMap(({ left }) => left)).toEqual([]);
  expect(withoutRemains(await itemsIn(table))).toEqual([]);
});

test.each(["", "--json"])("What somebody else deletes meanwhile is gone already %s", async (json) => {
  const table = await freshTable();
  const message = await store(table, { recipient: ada });
  const { end } = interceptAll(async ({ constructor: { name } }, proceed) => {
    if (name !== "UpdateCommand") return proceed();
    end();
    await deleteMessage(table, message, Date.now());
    return proceed();
  });

  const { status, stdout } = await admin(`erase-person ${ada} --delete ${json}`);

  const { account_id, id } = message;
  expect(status).toBe(0);
  if (json) {
    const gone_already = [{ kind: "message", account_id, id }];
    expect(JSON.parse(stdout.at(-1) ?? "")).toMatchObject({ deleted: [], gone_already });
  } else {
    expect(stdout.slice(0, 2)).toEqual([
      `gone   message   ${account_id} ${id}   hello@example.com -> ${ada}`,
      "gone already: 1 message, which somebody else deleted meanwhile",
    ]);
  }
});

test("The record names what was done and what remains, and has no address", async () => {
  const table = await freshTable();
  const { account_id, id } = await store(table, { recipient: "Ada@b\u00fccher.example" });

  const lines = await adminJson("erase-person ada@xn--bcher-kva.example Ada@b\u00fccher.example --delete");

  const record = lines.at(-1);
  const time = expect.stringMatching(/^20.+Z$/);
  expect(record).toMatchObject({
    record: "erasure",
    table: table.name,
    address_digests: [createHash("sha256").update("ada@xn--bcher-kva.example").digest("hex")],
    began_at: time,
    ended_at: time,
    looked_into: ["index"],
    looks: 2,
    deleted: [{ kind: "message", account_id, id }],
    gone_already: [],
    left: [],
  });
  expect((Date.parse(record.verify_again_at) - Date.now()) / dayMilliseconds).toBeCloseTo(28, 1);
  expect(record.ended_at > record.began_at).toBe(true);
  const reached = record.not_reached.map(({ what, until }: { what: string; until: string | null }) => [
    what.replace(", until", ""),
    daysUntil(until),
  ]);
  expect(reached).toEqual([
    ["point-in-time recovery", 35],
    ["events that wait in the queue or as dead letters", 28],
    ["raw emails in the intake's bucket", 28],
    ["stored responses that name the user's id", 1],
    ["other backups and exports of yours", null],
    [expect.stringMatching(/^emails that name the address only in other headers/), null],
    [expect.stringMatching(/--scan/), null],
  ]);
  expect(JSON.stringify(record)).not.toContain("@");
});

test("What an interrupted store left of a message that is somebody else's now is erased, and the message stays", async () => {
  const table = await freshTable();
  const message = newMessage({ account_id: randomUUID(), recipient: ada });
  const interrupted = storeMessage(failingAfter("PutCommand", 1, table), message, raw, Date.now());
  await expect(interrupted).rejects.toThrow("power cut");
  await storeMessage(table, { ...message, recipient: "bob@example.org" }, randomBytes(120_000), Date.now());
  const before = await itemsIn(table);

  const { stdout } = await admin(`erase-person ${ada} --delete`);
  const again = await admin(`erase-person ${ada} --verify`);

  expect(stdout).toContain("deleted 1 unfinished");
  expect(again).toMatchObject({ status: 0, stdout: ["nothing found"] });
  expect(await itemsIn(table)).toEqual(before.filter(({ person }) => person !== personKey(ada)));
});

test("A member whose address is none by the standard is erased, too", async () => {
  const table = await freshTable();
  await join(table, randomUUID(), "a..b@example.com");

  const { stdout } = await admin("erase-person a..b@example.com --delete");

  expect(stdout).toContain("deleted 1 member, 1 user");
  expect(await itemsIn(table)).toEqual([]);
});

test("Someone in Cc of an imported email is erased with the whole message", async () => {
  const table = await freshTable();
  const message = newMessage({ account_id: randomUUID(), recipient: "bob@example.org" });
  await commitMessage(table, { ...draftMessage(message, raw, Date.now()), others: ["Ada@example.org"] }, Date.now());

  const { stdout } = await admin(`erase-person ${ada} --delete`);

  expect(stdout[0]).toMatch(/^deleted {3}message .+ -> bob@example.org {3}\(the address is in To or Cc\)$/);
  expect(withoutRemains(await itemsIn(table))).toEqual([]);
});

test("A person with 50 messages costs at most 400 read units, however many others have", async () => {
  const table = await freshTable();
  const email = Buffer.from(`Subject: Hello\r\n\r\n${randomBytes(4000).toString("base64")}`);
  for (let count = 0; count < 50; count++) await store(table, { recipient: ada }, email);
  for (let count = 0; count < 50; count++) await store(table, {}, email);
  const calls = vi.spyOn(DynamoDBDocumentClient.prototype, "send");

  await admin(`erase-person ${ada} --delete`);

  const outputs = await Promise.all(calls.mock.results.map(({ value }) => value));
  const isRead = (index: number) => /^(Get|Query)Command$/.test(calls.mock.calls[index]?.[0].constructor.name ?? "");
  const units = outputs
    .filter((_, index) => isRead(index))
    .reduce((sum, { ConsumedCapacity }) => sum + (ConsumedCapacity?.CapacityUnits ?? 0), 0);
  expect(units).toBeGreaterThan(50);
  expect(units).toBeLessThan(400);
});
