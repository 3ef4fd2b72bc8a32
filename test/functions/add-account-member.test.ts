import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, test } from "vitest";
import { listMembers } from "../../lib/members/store.ts";
import { idempotencyRecordKey } from "../../lib/table/keys.ts";
import { exchange } from "../harness/raw-http.ts";
import { bearer, call, day, newKey, noon, startService, table } from "../harness/service.ts";

type Key = Awaited<ReturnType<typeof newKey>>;

let now: number;
let url: string;
let key: Key;
beforeEach(async () => {
  now = noon;
  url = await startService(() => now);
  key = await newKey();
});

const post = (body: unknown, headers: Record<string, string> = {}, by: Key = key) =>
  call(`${url}/v2/accounts/${by.account_id}/members`, {
    method: "POST",
    headers: { ...bearer(by.secret), "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const newEmail = () => `${randomUUID()}@example.com`;
const newMember = () => ({ email: newEmail(), role: "Developer" });

/** Returns the parts of a response that a replay repeats. */
const read = async (response: Response) => ({
  status: response.status,
  body: await response.text(),
  replayed: response.headers.get("idempotent-replayed"),
});

const membersOf = (account_id: string) => listMembers(table, account_id);

describe("Add Account Member", () => {
  test("responds with 201 and the member", async () => {
    const response = await post({ email: newEmail(), role: "Billing Manager", name: "Ada Lovelace" });

    expect(response.status).toBe(201);
    const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(Object.entries((await response.json()) as object)).toEqual([
      ["id", uuid],
      ["created_at", "2096-11-20T12:00:00.000Z"],
      ["updated_at", "2096-11-20T12:00:00.000Z"],
      ["user_id", uuid],
      ["account_id", key.account_id],
      ["role", "Billing Manager"],
    ]);
  });

  test("has one user for each email, in every account and whatever the case of the email", async () => {
    const email = newEmail();
    const other = await newKey();

    const here = (await (await post({ email, role: "Analyst" })).json()) as { user_id: string; id: string };
    const there = (await (
      await post({ email: email.toUpperCase(), role: "Developer" }, {}, other)
    ).json()) as typeof here;

    expect(there.user_id).toBe(here.user_id);
    expect(there.id).not.toBe(here.id);
  });

  test("responds with 409 if the user is a member, whatever the case of the email, and changes nothing", async () => {
    const email = newEmail();
    await post({ email, role: "Analyst" });
    const before = await membersOf(key.account_id);

    const response = await post({ email: email.toUpperCase(), role: "Administrator", name: "Other" });

    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({ message: "The user is already a member of this account" });
    expect(await membersOf(key.account_id)).toEqual(before);
  });

  test("accepts the account id in any case, and returns it in lower case", async () => {
    const response = await post(
      { email: newEmail(), role: "Analyst" },
      {},
      { ...key, account_id: key.account_id.toUpperCase() },
    );

    expect(await response.json()).toMatchObject({ account_id: key.account_id });
  });
});

describe("The same Idempotency-Key", () => {
  const headers = () => ({ "Idempotency-Key": randomUUID() });

  test("with the same request returns the first response, byte for byte, with Idempotent-Replayed", async () => {
    const use = headers();
    const body = newMember();

    const first = await read(await post(body, use));
    now += 1000;
    const second = await read(await post(body, use));

    expect(first).toMatchObject({ status: 201, replayed: null });
    expect(second).toEqual({ ...first, replayed: "true" });
    expect(await membersOf(key.account_id)).toHaveLength(1);
  });

  test("ignores white space and the order of fields", async () => {
    const use = headers();
    const email = newEmail();
    const first = await read(await post(`{"email":"${email}","role":"Analyst","x":{"a":1,"b":[1,2]}}`, use));

    const second = await read(await post(` {"x" : {"b":[1, 2],"a":1.0},\n"role":"Analyst", "email":"${email}"}`, use));

    expect(second).toEqual({ ...first, replayed: "true" });
  });

  test("ignores an optional field that is null", async () => {
    const use = headers();
    const body = newMember();
    const first = await read(await post({ ...body, name: null }, use));

    const second = await read(await post(body, use));

    expect(second).toEqual({ ...first, replayed: "true" });
  });

  test("distinguishes a number beyond a double's range from null", async () => {
    const use = headers();
    const body = (x: string) => `{"email":"ada@example.com","role":"Analyst","x":${x}}`;
    expect((await post(body("1e400"), use)).status).toBe(201);

    expect((await post(body("null"), use)).status).toBe(422);
  });

  test.each([
    ["another role", { role: "Analyst" }],
    ["another email", { email: "other@example.com" }],
    ["an additional name", { name: "Ada" }],
    ["an additional unknown field", { x: 1 }],
  ])("with a different request (%s) is rejected with 422, and changes nothing", async (_, change) => {
    const use = headers();
    const body = newMember();
    const first = await read(await post(body, use));

    const response = await post({ ...body, ...change }, use);

    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      message: "The idempotency key was already used with a different request",
    });
    expect(await membersOf(key.account_id)).toHaveLength(1);
    expect(await read(await post(body, use))).toEqual({ ...first, replayed: "true" });
  });

  test("is stored for 23:59:59 hours, and is a new key after 24:00:00 hours, even if TTL has not deleted the record", async () => {
    const use = headers();
    const body = newMember();
    const first = await read(await post(body, use));

    now = noon + day - 1000;
    const lastReplay = await read(await post(body, use));
    now = noon + day;
    const anew = await read(await post(body, use));
    const replayOfTheNew = await read(await post(body, use));

    expect(lastReplay).toEqual({ ...first, replayed: "true" });
    expect(anew).toMatchObject({ status: 409, replayed: null });
    expect(replayOfTheNew).toEqual({ ...anew, replayed: "true" });
  });

  const tooLong = { message: "Idempotency-Key must be 1 to 255 characters" };
  test.each([
    [0, 400, tooLong],
    [1, 201, {}],
    [255, 201, {}],
    [256, 400, tooLong],
  ])("with %i characters has the response %i", async (length, status, body) => {
    const response = await post(newMember(), { "Idempotency-Key": "k".repeat(length) });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(body);
  });

  /** Sends each header as a separate line. `fetch` would join them. */
  const postWithKeys = async (...lines: [name: string, value: string][]) => {
    const body = JSON.stringify(newMember());
    const head = [
      `POST /v2/accounts/${key.account_id}/members HTTP/1.1`,
      `Host: ${new URL(url).host}`,
      `Authorization: Bearer ${key.secret}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...lines.map(([name, value]) => `${name}: ${value}`),
    ];
    const response = await exchange(url, `${head.join("\r\n")}\r\n\r\n${body}`);
    return { status: response?.status, body: JSON.parse(response?.body ?? "") };
  };

  test.each([
    ["Idempotency-Key", "two", 400, { message: "Idempotency-Key must have only one value" }, 0],
    ["idempotency-key", "two", 400, { message: "Idempotency-Key must have only one value" }, 0],
    ["Idempotency-Key", "one", 201, {}, 1],
  ])("may occur twice only with one value (%s: %s)", async (name, value, status, body, members) => {
    const response = await postWithKeys(["Idempotency-Key", "one"], [name, value]);

    expect(response).toMatchObject({ status, body });
    expect(await membersOf(key.account_id)).toHaveLength(members);
  });

  test.each([
    ["Authorization", "Bearer emk_other", 401],
    ["authorization", "Bearer emk_other", 401],
    ["authorization", undefined, 201],
  ])("has credentials, which may occur twice only with one value (%s: %s)", async (name, value, status) => {
    const response = await postWithKeys([name, value ?? `Bearer ${key.secret}`]);

    expect(response.status).toBe(status);
  });

  test("is stored as a digest only", async () => {
    const secret = `order-${randomUUID()}`;
    await post(newMember(), { "Idempotency-Key": secret });

    const Key = idempotencyRecordKey(key.account_id, secret);
    const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
    expect(Item).toMatchObject({ status: 201 });
    expect(JSON.stringify(Item)).not.toContain(secret);
  });
});
