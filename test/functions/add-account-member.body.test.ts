/** What the body of Add Account Member may contain, and how a wrong one is rejected. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { listMembers } from "../../lib/members/store.ts";
import { bearer, call, newKey, startService, table } from "../harness/service.ts";

let account_id: string;
let post: (body: unknown, headers?: [name: string, value: string][]) => Promise<Response>;
beforeEach(async () => {
  const url = await startService();
  const key = await newKey();
  account_id = key.account_id;
  post = (body, headers = [["Content-Type", "application/json"]]) =>
    call(`${url}/v2/accounts/${account_id}/members`, {
      method: "POST",
      headers: [...Object.entries(bearer(key.secret)), ...headers],
      body: typeof body === "string" || body instanceof Buffer ? (body as string) : JSON.stringify(body),
    });
});

const newMember = () => ({ email: `${randomUUID()}@example.com`, role: "Developer" });

describe("The body", () => {
  const local = "a".repeat(64);
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  test.each([
    ["an email of 254 characters", { email: `${local}@${"d".repeat(61)}.${"e".repeat(61)}.${"f".repeat(61)}.com` }],
    [
      "an email with every character that RFC 5322 allows in an atom",
      { email: "o'hara+tag!#$%&*/=?^_`{|}~-@example.com" },
    ],
    ...[1, 2, 3, 63].flatMap(
      (length) =>
        [
          [`a domain's label of ${length}`, { email: `${local}@${"d".repeat(length)}.example` }],
          [`a domain's last label of ${length}`, { email: `${local}@example.${"e".repeat(length)}` }],
        ] as [string, object][],
    ),
    ["an internationalised top-level domain", { email: `${local}@xn--80ak6aa92e.xn--p1ai` }],
    ["a name of 1 character", { name: "a" }],
    ["a name of null, which means left out", { name: null }],
    ["a name of 255 characters", { name: "a".repeat(255) }],
    ["a name of 255 characters beyond the basic plane", { name: "😀".repeat(255) }],
    ["a name with a line break", { name: "Ada\nLovelace" }],
    ["100 levels", { x: JSON.parse(nested(99)) }],
    ["unknown fields, which are ignored", { nickname: "x", nested: { a: [1] }, constructor: "x" }],
  ])("may have %s", async (_, fields) => {
    expect((await post({ ...newMember(), ...fields })).status).toBe(201);
  });

  const emailRule = "email must be an email address of at most 254 characters";
  const roleRule = "role must be one of Administrator, Developer, Analyst and Billing Manager";
  const nameRule = "name must be a string of 1 to 255 characters, or null";
  test.each([
    ...[undefined, null, "", 42, "not an email", "a@b", "a@example.com\n", "a@-d.example", "a@d-.example"].map(
      (email): [object, string] => [{ email }, emailRule],
    ),
    ...["e-", "-e", "e".repeat(64), `${"d".repeat(64)}.example`].map((domain): [object, string] => [
      { email: `a@example.${domain}` },
      emailRule,
    ]),
    [{ email: `${local}@${"d".repeat(61)}.${"e".repeat(61)}.${"f".repeat(62)}.com` }, emailRule],
    [{ role: undefined }, roleRule],
    [{ role: "administrator" }, roleRule],
    [{ role: ["Developer"] }, roleRule],
    [{ name: "" }, nameRule],
    [{ name: "a".repeat(256) }, nameRule],
    [{ name: 7 }, nameRule],
    [{ email: null }, emailRule],
    [{ email: "x", role: "x" }, `${emailRule}; ${roleRule}`],
    [{ email: "x".repeat(300) }, emailRule],
  ])("with %j is rejected, and the message states what the field accepts: 400", async (fields, message) => {
    const response = await post({ ...newMember(), ...fields });

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message });
    expect(await listMembers(table, account_id)).toEqual([]);
  });

  test("may have a field of the same name in several objects, inside and outside of each other", async () => {
    const { email, role } = newMember();

    const response = await post(`{"role":"${role}","a":{"role":1,"b":[{"role":2},{"role":3}]},"email":"${email}"}`);
    const repeated = await post(`{"a":{"b":1},"email":"x","role":"y","a":{"b":1}}`);

    expect(response.status).toBe(201);
    expect(await repeated.json()).toEqual({
      message: 'The request body must have each field only once, but has "a" twice',
    });
  });

  const half = "be Unicode text: it holds half a surrogate pair";
  const utf8 = "be UTF-8, without U+FFFD, which stands for bytes that were not";
  test.each([
    ["", "be valid JSON"],
    ["{", "be valid JSON"],
    ['{"email":"a@example.com",}', "be valid JSON"],
    [`\ufeff${JSON.stringify(newMember())}`, "be valid JSON"],
    ["[]", "be a JSON object"],
    ["null", "be a JSON object"],
    ['"text"', "be a JSON object"],
    ['{"__proto__":{"role":"Administrator"}}', "have no field __proto__"],
    ['{"x":[{"constructor":{"prototype":{}}}]}', "have no field constructor that holds prototype"],
    [JSON.stringify({ ...newMember(), name: "\ud800" }), half],
    [JSON.stringify({ ...newMember(), "x\udc00": 1 }), half],
    [JSON.stringify({ ...newMember(), x: [{ y: "\ude00\ud83d" }] }), half],
    [JSON.stringify({ ...newMember(), name: "Jos\ufffd" }), utf8],
    [JSON.stringify({ ...newMember(), "x\ufffd": 1 }), utf8],
    [String.raw`{"x":[{"y":"\uFFFD"}]}`, utf8],
    [Buffer.from('{"name":"Jos\xe9"}', "latin1"), utf8],
    [Buffer.from('{"name":"\xed\xa0\x80"}', "latin1"), utf8],
    [
      '{"role":"Developer","email":"a@example.com","role":"Administrator"}',
      'have each field only once, but has "role" twice',
    ],
    [String.raw`{"role":"Developer","r\u006fle" : "Administrator"}`, 'have each field only once, but has "role" twice'],
    ['{"a":{"x":"}"},"b":[{"x":1},{"x":"\\"{","y":1,"x":2}]}', 'have each field only once, but has "x" twice'],
    [`{"${"x".repeat(51)}":1,"${"x".repeat(51)}":2}`, `have each field only once, but has "${"x".repeat(50)}" twice`],
    [`{"x":${nested(100)}}`, "not nest deeper than 100 levels"],
  ])("%s must %s: 400", async (body, rule) => {
    const response = await post(body);

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message: `The request body must ${rule}` });
  });

  test("with so many levels that a recursive function overflows the stack is rejected: 400", async () => {
    expect((await post(`{"x":${nested(20_000)}}`)).status).toBe(400);
  });

  test("may have 64 KiB, and not one byte more: 413", async () => {
    const body = (bytes: number) => {
      const text = JSON.stringify({ ...newMember(), padding: "" });
      return text.replace('"padding":""', `"padding":"${"é".repeat(10)}${"x".repeat(bytes - text.length - 20)}"`);
    };
    expect(Buffer.byteLength(body(65_536))).toBe(65_536);

    expect((await post(body(65_536))).status).toBe(201);
    const overGatewaysLimit = "x".repeat(10 * 1024 * 1024 + 1);
    for (const tooLarge of [body(65_537), overGatewaysLimit]) {
      const response = await post(tooLarge);
      expect(response.status).toBe(413);
      expect(await response.json()).toEqual({ message: "The request body must be at most 64 KiB" });
    }
  });

  test.each([
    "application/json",
    "Application/JSON; charset=utf-8",
    "application/json ; charset=utf-8",
    "application/vnd.api+json",
    "application/a+b+json",
  ])("may be %s", async (type) => {
    expect((await post(newMember(), [["Content-Type", type]])).status).toBe(201);
  });

  const json: [string, string] = ["Content-Type", "application/json"];
  const isJson = "Content-Type must be application/json";
  test.each([
    ...["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "x-application/json", ""].map(
      (type): [string, string, [string, string][]] => [type, isJson, [["Content-Type", type]]],
    ),
    ["two media types", isJson, [json, ["content-type", "text/plain"]]],
    [
      "gzip",
      "Content-Encoding must be absent: send the body as plain JSON, uncompressed",
      [json, ["content-encoding", "gzip"]],
    ],
  ] as [string, string, [string, string][]][])("of another type (%s) is rejected: 415", async (_, message, headers) => {
    const response = await post(newMember(), headers);

    expect(response.status).toBe(415);
    expect(await response.json()).toEqual({ message });
  });
});
