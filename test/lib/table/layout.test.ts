/** `lib/LAYOUT.md` describes every kind of item with the keys that the code builds. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as keys from "../../../lib/table/keys.ts";

const layout = readFileSync(new URL("../../../lib/LAYOUT.md", import.meta.url), "utf8");
const uuid = "0a5ad6fb-e57d-4228-b5f8-0525f7720af1";
const digest = keys.sha256("");
const time = "2026-11-20T12:00:00.000000000Z";
const email = "ada@example.com";

/** For each row of the page, the function that builds the item's key. */
const rows: [item: string, key: keys.ItemKey][] = [
  ["API key", keys.apiKeyKey(digest)],
  ["listing of an account's keys", keys.apiKeyListingKey(uuid, digest)],
  ["message head", keys.headKey(uuid, uuid)],
  ["delivery attempt", keys.attemptKey(uuid, uuid, time, "1")],
  ["first segment of the content", keys.segmentKey(uuid, uuid, digest, 0)],
  ["further segment", keys.segmentKey(uuid, uuid, digest, 1, 1)],
  ["list of pages", keys.pageListKey(uuid, uuid, digest)],
  ["other recipient", keys.recipientKey(uuid, uuid, email)],
  ["message marker", keys.markerKey(uuid, uuid)],
  ["user", keys.userKey(email)],
  ["member", keys.memberKey(uuid, uuid)],
  ["idempotency record", keys.idempotencyRecordKey(uuid, "1")],
  ["event record", keys.eventKey(uuid, "1")],
  ["sender", keys.senderKey("ses:AWS_ACCOUNT:SET")],
];

const described = (key: string): string =>
  key
    .replaceAll(uuid, "UUID")
    .replaceAll(time, "TIME")
    .replaceAll(/[\da-f]{64}/g, "DIGEST");

test.each(rows)("The page has the keys of: %s", (item, { pk, sk }) => {
  const line = layout.split("\n").find((line) => line.startsWith(`| ${item} |`)) ?? "";
  const [, , partition = "", sort = ""] = line.split(" | ").join("|").split("|");

  expect(partition.startsWith(`\`${described(pk)}\``) || partition.startsWith("as the head")).toBe(true);
  if (partition.startsWith("as the head")) expect(described(pk)).toBe("MESSAGE#UUID#UUID");
  expect(sort).toMatch(`\`${described(sk)}\``);
});

test("The page has every kind of item, and the index", () => {
  const lines = layout.split("\n").filter((line) => /^\| (?!Item )/.test(line) && !line.startsWith("|---"));
  expect(lines.map((line) => line.split(" | ")[0]?.slice(2))).toEqual(rows.map(([item]) => item));
  const prefixes = new Set(rows.map(([, { pk }]) => pk.slice(0, pk.indexOf("#") + 1)));
  expect([...prefixes, keys.itemTypes.person].sort()).toEqual(Object.values(keys.itemTypes).sort());
  expect(layout).toContain(`\`${keys.personIndex.name}\` finds what belongs to an address`);
  expect(described(keys.personKey(email))).toBe("PERSON#DIGEST");
});
