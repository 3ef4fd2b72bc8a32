import { expect, test } from "vitest";
import { queryOf } from "../../../infra/page/browser/query.ts";

const [account_id, id] = ["7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11", "11e0a8f4-6c1b-4d0e-9f57-3a1b0c9d7e01"];

test.each<[string, ReturnType<typeof queryOf>]>([
  ["", { kind: "nothing" }],
  ["  ", { kind: "nothing" }],
  ["ada@example.com", { kind: "address", address: "ada@example.com", words: [] }],
  ["ada@example.com Invoice bounced", { kind: "address", address: "ada@example.com", words: ["invoice", "bounced"] }],
  ["invoice ada@example.com", { kind: "address", address: "ada@example.com", words: ["invoice"] }],
  ["Ada Lovelace <ada@example.com> invoice", { kind: "address", address: "ada@example.com", words: ["invoice"] }],
  ["ada@example.com; mu\u0308ller", { kind: "address", address: "ada@example.com", words: ["m\u00fcller"] }],
  ["MAILTO:ada@example.com,", { kind: "address", address: "ada@example.com", words: [] }],
  ["mailto:ada@example.com,", { kind: "address", address: "ada@example.com", words: [] }],
  ['"ada l"@example.com x', { kind: "address", address: '"ada l"@example.com', words: ["x"] }],
  ["ada@example.com <1@x.example>", { kind: "address", address: "ada@example.com", words: ["<1@x.example>"] }],
  ["<1@x.example>", { kind: "address", address: "1@x.example", words: [] }],
  ["invoice", { kind: "words", words: ["invoice"] }],
  [`${account_id} ${id}`, { kind: "message", account_id, id }],
  [`${account_id.toUpperCase()}/${id}`, { kind: "message", account_id, id }],
  [`${account_id}/${id.toUpperCase()}`, { kind: "message", account_id, id }],
  [`http://127.0.0.1:3000/messages#${account_id}/${id}`, { kind: "message", account_id, id }],
  [`/v2/accounts/${account_id}/messages/${id}?fields=status`, { kind: "message", account_id, id }],
])("%j", (text, query) => {
  expect(queryOf(text)).toEqual(query);
});
