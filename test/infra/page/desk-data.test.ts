/** What the desk reads from a table, and what that costs. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { gateway } from "../../../infra/local/gateway.ts";
import { deskPages } from "../../../infra/page/serve-page.ts";
import type { DeskMessage, FoundPage, Shown } from "../../../infra/page/served.ts";
import { tableSource } from "../../../infra/page/table-source.ts";
import type { MessageRef } from "../../../lib/messages/message-ref.ts";
import type { NewMessage } from "../../../lib/messages/new-message.ts";
import { commitMessage } from "../../../lib/messages/write/commit-message.ts";
import { draftMessage } from "../../../lib/messages/write/draft-message.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { headKey } from "../../../lib/table/keys.ts";
import { metered } from "../../../lib/table/metered.ts";
import type { Table } from "../../../lib/table/table.ts";
import { dayMilliseconds } from "../../../lib/time/clock.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { listen } from "../../harness/listen.ts";
import { attempted, clicked, newMessage, opened, recordEvent, status } from "../../harness/service.ts";
import { freshTable, itemsIn, join, restore } from "../../harness/tables.ts";

const ada = "ada@example.org";
const ago = (days: number): number => Date.now() - days * dayMilliseconds;
const shown: Shown = { source: "table", where: ["dev"], api: "" };

/** Serves the desk. `get` sends the token of its start. */
const serveDesk = async (table: Table, { token = "secret", known }: { token?: string; known?: MessageRef[] } = {}) => {
  const source = tableSource(table, known);
  const url = `http://127.0.0.1:${await listen(gateway([], deskPages(shown, source, token)))}`;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/messages${path}`, { headers: { Authorization: `Bearer ${token}`, ...headers } });
  const json = async <Body>(path: string): Promise<Body> => (await get(path)).json() as Promise<Body>;
  const found = (parameters: Record<string, string>) =>
    json<FoundPage>(`/search?${new URLSearchParams({ address: ada, ...parameters })}`);
  return { url, get, json, found };
};

const store = async (table: Table, fields: Partial<NewMessage> = {}, daysAgo = 0, raw: Buffer | null = null) => {
  const message = newMessage({ account_id: randomUUID(), recipient: ada, status: "sent", ...fields });
  await storeMessage(table, message, raw, ago(daysAgo));
  return message;
};

const path = (name: string, { account_id, id }: { account_id: string; id: string }): string =>
  `/${name}?account=${account_id}&message=${id}`;

test("Rows have the status, the times and the counts of now, not those of the store", async () => {
  const table = await freshTable();
  const message = await store(table, {}, 2);
  const attempts = [4, 3, 2, 1].map((hours) => attempted(Date.now() - hours * 3_600_000, `451 ${hours}`));
  for (const event of [...attempts, opened, clicked]) await recordEvent(message, event, Date.now(), table);
  const time = new Date(Date.now() - 60_000).toISOString();
  const event = time.replace("Z", "000001Z"); // an event's time has nanoseconds
  await recordEvent(message, status("bounced", event, { bounce_classification: "5.1.1" }), Date.now(), table);
  const { found, json } = await serveDesk(table);

  const { messages } = await found({});
  const head = await json<DeskMessage>(path("head", message));

  const current = {
    status: "bounced",
    status_time: time,
    bounce_classification: "5.1.1",
    num_attempts: 4,
    open_count: 1,
  };
  expect(messages).toMatchObject([{ ...current, id: message.id, click_count: 1 }]);
  expect(messages[0]?.delivery_attempts.map(({ log }) => log)).toEqual(["451 4", "451 3", "451 1"]);
  expect(head).toMatchObject(current);
  expect(head.delivery_attempts.map(({ log }) => log)).toEqual(["451 4", "451 3", "451 2", "451 1"]);
});

test.each([
  [2, ["451 0", "451 1"]],
  [3, ["451 0", "451 1", "451 2"]],
])("Of %d attempts, a row has each once", async (count, logs) => {
  const table = await freshTable();
  const message = await store(table);
  for (let index = 0; index < count; index++) {
    await recordEvent(message, attempted(ago(1) + index * 1000, `451 ${index}`), Date.now(), table);
  }
  const { found } = await serveDesk(table);

  const { messages } = await found({});

  expect(messages[0]?.delivery_attempts.map(({ log }) => log)).toEqual(logs);
});

test("An expired message, and one whose deletion has begun, is no row", async () => {
  const before = await freshTable();
  const { account_id, id } = await store(before, {}, 2);
  const other = await store(before, {}, 2);
  const items = await itemsIn(before);
  const expires_at = Math.floor(ago(1) / 1000);
  const table = await restore(
    items.map((item) => (item.pk === headKey(account_id, id).pk ? { ...item, expires_at } : item)),
  );
  const { found, json, get } = await serveDesk(table, { known: [] });

  expect((await found({})).messages).toMatchObject([{ id: other.id }]);
  expect((await json<FoundPage>("/recent")).messages).toMatchObject([{ id: other.id }]);
  expect((await get(path("head", { account_id, id }))).status).toBe(404);
});

test("A row has no attempts of an earlier message with the same id, and attempts alone are no row", async () => {
  const before = await freshTable();
  const again = await store(before, {}, 2);
  const alone = await store(before, {}, 2);
  for (const message of [again, alone]) await recordEvent(message, attempted(ago(1), "451"), Date.now(), before);
  const items = (await itemsIn(before)).map((item) => {
    const isOf = (message: MessageRef) => item.pk === headKey(message.account_id, message.id).pk;
    if (isOf(again) && item.sk !== "HEAD") return { ...item, expires_at: Number(item.expires_at) - 1 };
    return isOf(alone) && item.sk === "HEAD" ? { ...item, sk: "TO#1" } : item;
  });
  const { json } = await serveDesk(await restore(items), { known: [] });

  const { messages } = await json<FoundPage>("/recent");

  expect(messages.map(({ id, delivery_attempts }) => ({ id, delivery_attempts }))).toEqual([
    { id: again.id, delivery_attempts: [] },
  ]);
});

/** Returns the items of as many messages as `count`, each a copy of a message with one attempt. */
const manyMessages = async (count: number) => {
  const table = await freshTable();
  const message = await store(table, {}, 2);
  await recordEvent(message, attempted(ago(1), "421 4.4.1 Connection timed out"), Date.now(), table);
  const items = (await itemsIn(table)).filter(({ sk }) => sk.startsWith("HEAD"));
  return Array.from({ length: count }, (_, index) => {
    const ref = { account_id: randomUUID(), id: randomUUID() };
    const { pk } = headKey(ref.account_id, ref.id);
    const created_at = new Date(ago(2) - index * 1000).toISOString();
    return items.map((item) => ({
      ...item,
      pk,
      ...(item.sk === "HEAD" && { ...ref, created_at, subject: `${index}` }),
    }));
  }).flat();
};

test("A search finds the person's messages, and no memberships, whatever the account, in the range, and page by page each once", async () => {
  const table = await restore(await manyMessages(120));
  const old = await store(table, { sent_at: new Date(ago(400)) });
  await store(table, { recipient: "bo@example.org" });
  await join(table, randomUUID(), ada);
  const { found } = await serveDesk(table);

  const subjects: string[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    const page = await found({ since: new Date(ago(7)).toISOString(), ...(after && { after }) });
    subjects.push(...page.messages.map(({ subject }) => subject));
    after = page.next;
    pages++;
  } while (after);

  expect(pages).toBe(3);
  expect(subjects).toEqual(Array.from({ length: 120 }, (_, index) => `${index}`));
  expect((await found({})).messages.map(({ id }) => id)).toContain(old.id);
});

test("A range has what was sent in it, though stored long before, and says how many messages were read for it", async () => {
  const table = await freshTable();
  const since = new Date(ago(7)).toISOString();
  const queued = await store(table, { sent_at: new Date(since) }, 20);
  await store(table, { sent_at: new Date(ago(8)) }, 0);
  await store(table, {}, 8);
  await join(table, randomUUID(), ada);
  const { found } = await serveDesk(table);

  const page = await found({ since });

  expect(page.messages.map(({ id }) => id)).toEqual([queued.id]);
  expect(page).toEqual({ messages: page.messages, read: 3 });
});

test("The list of this machine has the newest 50 messages, each once, and those that the index doesn't have", async () => {
  const items = await manyMessages(60);
  const [newest] = items;
  const leftover = { ...newest, ...headKey(randomUUID(), randomUUID()), created_at: "LEFTOVER#1" };
  const table = await restore([...items, leftover as never]);
  const imported = newMessage({ account_id: randomUUID(), subject: "imported", retain_until: new Date(ago(-1)) });
  const others = [ada, "bo@example.org", "carol@example.org"];
  await commitMessage(table, { ...draftMessage(imported, null, Date.now()), others }, Date.now());
  await join(table, randomUUID(), ada);
  const bounce = await store(table, { is_bounce_notification: true, direction: "incoming", subject: "bounce" });
  const { json } = await serveDesk(table, { known: [imported, bounce] });

  const { messages, read } = await json<FoundPage>("/recent");

  const subjects = ["imported", ...Array.from({ length: 49 }, (_, index) => `${index}`), "bounce"];
  expect(messages.map(({ subject }) => subject)).toEqual(subjects);
  expect(read).toBe(51);
});

test("The list of this machine goes on behind the first page of the index", async () => {
  const table = await restore(await manyMessages(3));
  let pages = 0;
  const paged = interceptedTable(table, (command, proceed) => {
    if (command.constructor.name !== "ScanCommand") return proceed();
    pages++;
    command.input.Limit = 2; // as 1 MB would
    return proceed();
  });
  const { json } = await serveDesk(paged, { known: [] });

  expect((await json<FoundPage>("/recent")).messages.map(({ subject }) => subject)).toEqual(["0", "1", "2"]);
  expect(pages).toBeGreaterThan(1);
});

test("However many messages a person has, the first page costs at most 30 read units", async () => {
  const table = await restore(await manyMessages(1000));
  let units = 0;
  const { found } = await serveDesk(
    metered(table, (consumed) => {
      units += consumed;
    }),
  );

  const page = await found({});

  expect(page).toMatchObject({ read: 50, next: expect.any(String) });
  expect(page.messages).toHaveLength(50);
  expect(units).toBeGreaterThan(25);
  expect(units).toBeLessThanOrEqual(30);
});

test("An email of 8 MB makes neither the list of this machine nor a page dearer", async () => {
  const table = await freshTable();
  await store(table);
  const calls: string[] = [];
  let units = 0;
  const counted = metered(table, (consumed) => {
    units += consumed;
  });
  const watched = interceptedTable(counted, ({ constructor: { name } }, proceed) => {
    calls.push(name);
    return proceed();
  });
  const { json, found } = await serveDesk(watched, { known: [] });
  const cost = async () => {
    units = 0;
    expect((await json<FoundPage>("/recent")).messages.length + (await found({})).messages.length).toBeGreaterThan(0);
    return units;
  };
  const before = await cost();

  const large = Buffer.from(`Subject: Large\r\n\r\n${randomBytes(6_000_000).toString("base64")}`);
  const message = await store(table, {}, 0, large);

  expect(await cost()).toBeLessThanOrEqual(before + 3); // a key in the index and a head, twice
  units = 0;
  expect(await json(path("head", message))).toMatchObject({ id: message.id });
  expect(units).toBeLessThanOrEqual(2);
  expect(new Set(calls)).toEqual(new Set(["ScanCommand", "QueryCommand"]));
});

test("The desk reads with Query and GetItem only, and a deployed table has no list", async () => {
  const table = await freshTable();
  const message = await store(table, {}, 0, Buffer.from("Subject: Hello\r\n\r\nHello"));
  const calls = new Set<string>();
  const watched = interceptedTable(table, ({ constructor: { name } }, proceed) => {
    calls.add(name);
    return proceed();
  });
  const { get, json, found } = await serveDesk(watched);

  await found({});
  for (const name of ["head", "content", "parsed", "structure", "raw"]) {
    expect((await get(path(name, message))).status, name).toBe(200);
  }

  expect(await json("/recent")).toBeNull();
  expect([...calls].filter((name) => !/^(Query|Get)Command$/.test(name))).toEqual([]);
});

test.each([
  ["UTF-8", Buffer.from("Subject: Zoë\r\n\r\né")],
  ["latin1", Buffer.from("Subject: Zo\xeb\r\n\r\n\xe9", "latin1")],
])("An email in %s is saved byte for byte", async (_, raw) => {
  const table = await freshTable();
  const message = await store(table, {}, 0, raw);
  const { get } = await serveDesk(table);

  const saved = Buffer.from(await (await get(path("raw", message))).arrayBuffer());

  expect(saved).toEqual(raw);
});

test("The desk serves its data as data: the email's bytes, its fields, its parts and their structure", async () => {
  const table = await freshTable();
  const raw = [
    "Subject: Hello",
    "Content-Type: multipart/alternative; boundary=b",
    "",
    ...["--b", "Content-Type: text/plain", "", "Text"],
    ...["--b", "Content-Type: text/html", "", "<p>Rich", "--b--"],
  ].join("\r\n");
  const message = await store(table, {}, 0, Buffer.from(raw));
  const { url, get, json } = await serveDesk(table);
  const structure = [
    { isInline: true, isReplaced: true },
    { isInline: true, isReplaced: false },
  ];
  const parsed = {
    content_parsed: {
      parts: [
        { content_type: "text/plain", content: "Text" },
        { content_type: "text/html", content: "<p>Rich" },
      ],
    },
  };
  const attached = (body: string) =>
    fetch(`${url}/messages/attached`, { method: "POST", body, headers: { Authorization: "Bearer secret" } });

  expect(await json("/about")).toEqual(shown);
  expect(await json(path("content", message))).toEqual({ content: raw });
  expect(await json(path("parsed", message))).toMatchObject(parsed);
  expect(await json(path("structure", message))).toEqual(structure);
  expect(await (await attached(raw)).json()).toMatchObject({ ...parsed, structure });
  const tooDeep = Array.from(
    { length: 200 },
    (_, depth) => `Content-Type: multipart/mixed; boundary=${depth}\r\n\r\n--${depth}\r\n`,
  );
  expect(await (await attached(tooDeep.join(""))).json()).toEqual({ content_parsed: null, structure: null });
  const { headers } = await get(path("raw", message));
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "application/octet-stream", // no browser shows it as a page of this origin
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
});

test("A message is found by its ids in capitals, too", async () => {
  const table = await freshTable();
  const message = await store(table);
  const { json } = await serveDesk(table);

  const capitals = { account_id: message.account_id.toUpperCase(), id: message.id.toUpperCase() };

  expect(await json(path("head", capitals))).toMatchObject({ id: message.id });
});

test("A message without its email says so, and none of its data is an error of the table", async () => {
  const table = await freshTable();
  const message = await store(table);
  const { get } = await serveDesk(table);
  const noEmail = { message: "This message has no raw email: its content was removed, or never stored." };

  for (const name of ["raw", "structure"]) {
    const response = await get(path(name, message));
    expect({ name, status: response.status, body: await response.json() }).toEqual({
      name,
      status: 404,
      body: noEmail,
    });
  }
});

test("Only who has the token of this start reads, and only from the desk's own page", async () => {
  const table = await freshTable();
  const message = await store(table);
  const { url, get } = await serveDesk(table, { token: "of-this-start" });
  const names = ["about", "search", "recent", "head", "content", "parsed", "structure", "raw"];
  const attached = await fetch(`${url}/messages/attached`, { method: "POST", body: "Subject: x" });

  for (const name of names) {
    const target = path(name, message);
    const statuses = [
      await fetch(`${url}/messages${target}`),
      await get(target, { Authorization: "Bearer of-another-start" }),
      await get(target, { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" }),
      await get(target, { "Sec-Fetch-Site": "same-site" }),
      await get(target, { Origin: "http://evil.example" }),
    ].map(({ status }) => status);
    expect({ name, statuses }).toEqual({ name, statuses: [401, 401, 403, 403, 403] });
  }
  expect(attached.status).toBe(401);
  const page = await (await fetch(`${url}/messages`)).text();
  expect(page).not.toContain("of-this-start");
});

test("What doesn't exist is a 404", async () => {
  const table = await freshTable();
  const unread = interceptedTable(table, () => {
    throw new Error("DynamoDB rejects a key of 3,000 characters");
  });

  for (const [source, ref] of [
    [table, { account_id: randomUUID(), id: randomUUID() }],
    [unread, { account_id: "x", id: "../../y" }],
    [unread, { account_id: randomUUID(), id: "y".repeat(3000) }],
  ] as const) {
    const { get } = await serveDesk(source);
    for (const name of ["head", "content", "raw", "structure"]) {
      const response = await get(path(name, ref));
      expect([name, response.status, await response.json()]).toEqual([name, 404, { message: "Message not found" }]);
    }
  }
});

test.each([
  ["DynamoDB reported an error: Too many requests", { message: "Too many requests", $fault: "client" }],
  ["DynamoDB reported an error: InternalServerError", { name: "InternalServerError", $fault: "server" }],
  ["NotReadableError", { name: "NotReadableError" }],
])(
  "A table that doesn't respond is a 503 with the reason, or with the error's name if it has none: %s",
  async (message, fields) => {
    const failing = interceptedTable(await freshTable(), () => {
      throw Object.assign(new Error(""), fields);
    });
    const { get } = await serveDesk(failing);

    const failed = await get(`/search?address=${ada}`);

    expect({ status: failed.status, body: await failed.json() }).toEqual({ status: 503, body: { message } });
  },
);
