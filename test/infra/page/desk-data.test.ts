/** What the desk reads from a table, and what that costs. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { gateway } from "../../../infra/local/gateway.ts";
import { deskPages } from "../../../infra/page/serve-page.ts";
import type { DeskMessage, FoundPage, Shown } from "../../../infra/page/served.ts";
import { tableSource } from "../../../infra/page/table-source.ts";
import type { NewMessage } from "../../../lib/messages/new-message.ts";
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
const serveDesk = async (table: Table, { token = "secret", isLocal = false } = {}) => {
  const source = tableSource(table, isLocal ? [] : undefined);
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
  await recordEvent(message, status("bounced", time, { bounce_classification: "5.1.1" }), Date.now(), table);
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

test("However many messages a person has, the first page costs at most 60 read units", async () => {
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
  expect(units).toBeLessThanOrEqual(60);
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
  const { json, found } = await serveDesk(watched, { isLocal: true });
  const cost = async () => {
    units = 0;
    expect((await json<FoundPage>("/recent")).messages.length + (await found({})).messages.length).toBeGreaterThan(0);
    return units;
  };
  const before = await cost();

  await store(table, {}, 0, Buffer.from(`Subject: Large\r\n\r\n${randomBytes(6_000_000).toString("base64")}`));

  expect(await cost()).toBeLessThanOrEqual(before + 3); // a key in the index and a head, twice
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
  const { get } = await serveDesk(table);

  for (const ref of [
    { account_id: randomUUID(), id: randomUUID() },
    { account_id: "x", id: "../../y" },
  ]) {
    expect((await get(path("head", ref))).status).toBe(404);
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
