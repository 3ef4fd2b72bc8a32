/**
 * Each release left a fixture: its items, and what it responded. This version reads the items and responds the same.
 *
 * `RELEASE=1.0.0 npm test -- releases` writes the fixture of a release: see .github/RELEASING.md.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AttributeValue, DynamoDBClient, PutItemCommand, paginateScan } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { messagesOfPerson } from "../../infra/person/messages-of-person.ts";
import { revokeApiKey } from "../../lib/api-keys/store.ts";
import { applyChange } from "../../lib/events/apply-events.ts";
import type { ChangeEvent } from "../../lib/events/event.ts";
import { addSender, findSender, type Sender } from "../../lib/events/senders.ts";
import { deleteMessage } from "../../lib/messages/remove/delete-message.ts";
import { commitMessage } from "../../lib/messages/write/commit-message.ts";
import { draftMessage } from "../../lib/messages/write/draft-message.ts";
import {
  attempted,
  clicked,
  newKey,
  newMessage,
  noon,
  opened,
  startService,
  status,
  table,
} from "../harness/service.ts";

type Request = { method: string; path: string; secret: string; body?: object; idempotencyKey?: string };
type Response = { status: number; replayed: string | null; body: string };

type Fixture = {
  /** When the release responded, in milliseconds. */
  now: number;
  /** In DynamoDB's JSON, with binary values in base64. */
  items: object[];
  exchanges: [Request, Response][];
  /** Were recorded, so whoever sends one again must not change the message. */
  events: ChangeEvent[];
  sender: Sender;
};

const folder = import.meta.dirname;
const fixtures = readdirSync(folder).filter((file) => file.endsWith(".json"));
const engine = new DynamoDBClient();

/** A body over 10 KB is represented by its digest. */
const abridged = (body: string): string =>
  body.length > 10_000 ? `sha256 ${createHash("sha256").update(body).digest("hex")}` : body;

const send = async (url: string, { method, path, secret, body, idempotencyKey }: Request): Promise<Response> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${secret}`,
      ...(body && { "Content-Type": "application/json" }),
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
    },
    body: body ? JSON.stringify(body) : null,
  });
  const replayed = response.headers.get("idempotent-replayed");
  return { status: response.status, replayed, body: abridged(await response.text()) };
};

const otherRecipient = "bea@example.org";

type Item = Record<string, AttributeValue>;

const keyOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`;

const allItems = async (): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const { Items = [] } of paginateScan({ client: engine }, { TableName: table.name })) items.push(...Items);
  return items;
};

/** Uses every kind of item: keys, messages with and without email, their history, a deletion, members, idempotency. */
const makeFixture = async (): Promise<Fixture> => {
  const ofOtherTests = new Set((await allItems()).map(keyOf));
  const url = await startService();
  const { account_id, secret } = await newKey();
  const revoked = await newKey({ account_id });
  await revokeApiKey(table, revoked.id, noon);
  const store = async (raw: string | null, more: object = {}, attached = Buffer.alloc(0)): Promise<string> => {
    const message = newMessage({ account_id, ...more });
    const bytes = raw === null ? null : Buffer.concat([Buffer.from(raw), attached]);
    await commitMessage(table, { ...draftMessage(message, bytes, noon), others: [otherRecipient] }, noon);
    return message.id;
  };
  const small = await store("Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n");
  const inPages = await store("Content-Type: application/octet-stream\r\n\r\n", {}, randomBytes(60_000));
  const bounce = await store(null, { reference_message_id: 9_007_199_254_740_993n, is_bounce_notification: true });
  const deleted = await store("Subject: deleted\r\n\r\n");
  const changes = [opened, clicked, attempted(noon, "421 try again later"), attempted(noon + 1, "250 OK", "delivered")];
  const delivered = status("delivered", new Date(noon + 1).toISOString(), {
    delivered_at: new Date(noon).toISOString(),
  });
  const events = [...changes, delivered].map(
    (change): ChangeEvent => ({ ...change, id: randomUUID(), account_id, message: { id: small } }),
  );
  for (const event of events) await applyChange(table, event, noon);
  await deleteMessage(table, { account_id, id: deleted }, noon);
  const sender = { name: `ses-received:${randomUUID()}.example`, account_id, domain_id: randomUUID(), retain_days: 30 };
  await addSender(table, sender, noon);
  const get = (id: string, by = secret): Request => ({
    method: "GET",
    path: `/v2/accounts/${account_id}/messages/${id}`,
    secret: by,
  });
  const body = { email: `${randomUUID()}@example.org`, role: "Developer", name: "Ada" };
  const add = { method: "POST", path: `/v2/accounts/${account_id}/members`, secret, body };
  const once = { ...add, idempotencyKey: "once" };
  await send(url, once);
  const requests = [
    ...[small, inPages, bounce, deleted].map((id) => get(id)),
    get(small, revoked.secret),
    add,
    once,
    { ...once, body: { ...body, role: "Analyst" } },
  ];
  const items = (await allItems()).filter((item) => !ofOtherTests.has(keyOf(item)));
  const exchanges: Fixture["exchanges"] = [];
  for (const request of requests) exchanges.push([request, await send(url, request)]);
  return { now: noon, items, exchanges, events, sender };
};

/** JSON can't contain bytes. */
const encode = (_name: string, value: unknown) =>
  Object(value).B ? { B: Buffer.from((value as { B: Uint8Array }).B).toString("base64") } : value;
const decode = (_name: string, value: unknown) =>
  Object(value).B ? { B: Buffer.from((value as { B: string }).B, "base64") } : value;

test.runIf(process.env.RELEASE)("Writes the fixture of a release", async () => {
  const file = join(folder, `${process.env.RELEASE}.json`);
  expect(existsSync(file), "A release's fixture never changes").toBe(false);

  writeFileSync(file, `${JSON.stringify(await makeFixture(), encode)}\n`);
});

const readFixture = async (fixture: Fixture): Promise<void> => {
  for (const item of fixture.items) {
    const Item = item as Record<string, AttributeValue>;
    await engine.send(new PutItemCommand({ TableName: table.name, Item }));
  }
  const url = await startService(() => fixture.now);

  for (const [request, response] of fixture.exchanges) expect(await send(url, request)).toEqual(response);
  for (const event of fixture.events) expect(await applyChange(table, event, fixture.now)).toBe("repeated");
  expect(await findSender(table, fixture.sender.name)).toMatchObject(fixture.sender);
  const found: unknown[] = [];
  for await (const message of messagesOfPerson(table, otherRecipient, { now: fixture.now }))
    found.push(message?.head.id);
  expect(found).toContain(fixture.events[0]?.message.id);
  const [request, response] = fixture.exchanges[0] as [Request, Response];
  expect(await send(url, request)).toEqual(response);

  // This version can change what the release stored.
  const { account_id, message } = fixture.events[0] as ChangeEvent;
  await applyChange(table, { ...opened, id: randomUUID(), account_id, message }, fixture.now);
  const { open_count } = JSON.parse(response.body);
  expect(JSON.parse((await send(url, request)).body)).toMatchObject({ open_count: open_count + 1 });
  await deleteMessage(table, { account_id, id: message.id as string }, fixture.now);
  expect((await send(url, request)).status).toBe(404);
};

test.each(fixtures)("This version reads the data of release %s, and responds as that release did", async (file) => {
  await readFixture(JSON.parse(readFileSync(join(folder, file), "utf8"), decode));
});

test("The fixture has each kind of item of lib/LAYOUT.md, so that every later version is held to it", async () => {
  const layout = readFileSync(join(folder, "../../lib/LAYOUT.md"), "utf8");
  const prefixOf = (cell = "") => /`([A-Z_]+#?)/.exec(cell)?.[1] ?? "MESSAGE#";
  const described = [...layout.matchAll(/^\| [^|]+ \| ([^|]*[`A-Za-z][^|]*) \| (`[A-Z_]+[^|]*) \|/gm)].map(
    ([, pk, sk]) => `${prefixOf(pk)} ${prefixOf(sk)}`,
  );
  const { items } = await makeFixture();
  const kinds = items.map((item) => {
    const { pk, sk } = item as { pk: { S: string }; sk: { S: string } };
    return `${prefixOf(`\`${pk.S}`)} ${prefixOf(`\`${sk.S}`)}`;
  });

  expect(described.length).toBeGreaterThan(10);
  expect([...new Set(kinds)].toSorted()).toEqual([...new Set(described)].toSorted());
});

test("A fixture made now can be read now", async () => {
  await readFixture(JSON.parse(JSON.stringify(await makeFixture(), encode), decode));
});
