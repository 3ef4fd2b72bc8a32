import { expect, test } from "vitest";
import { addressDomain, storedAddress } from "../../../lib/addresses/address.ts";
import { normalAddress } from "../../../lib/addresses/person.ts";

test.each([
  ["ada@example.com", "example.com"],
  ["O'Brien+tag/x=y@Mail.Example.COM", "mail.example.com"],
  ["root@localhost", "localhost"],
  ["jürgen@bücher.example", "xn--bcher-kva.example"],
  ["用户@例え.jp", "xn--r8jz45g.jp"],
  ['"a@b"@example.com', "example.com"],
  ['"a \\"b\\" (c), <d>"@example.com', "example.com"],
  ['""@example.com', "example.com"],
  ["ada@[192.0.2.1]", "[192.0.2.1]"],
  ["ada@[IPv6:2001:DB8::1]", "[ipv6:2001:db8::1]"],
])("%s is an address of %s", (text, domain) => {
  expect(addressDomain(text)).toBe(domain);
});

test.each([
  "",
  "@",
  "ada",
  "ada@",
  "@example.com",
  "Ada <ada@example.com>",
  "<ada@example.com>",
  "ada@example.com (Ada)",
  "ada(c)@example.com",
  "ada@example.com.",
  "ada@example.com, bob@example.com",
  "ada@bob@example.com",
  "a b@example.com",
  "a\n@example.com",
  "ada@example.com\n",
  '"a"b"@example.com',
  '"a\\"@example.com',
  '"@example.com',
  '"a\tb"@example.com',
  "ada@\u212Aey.example",
  "ada@[192.0.2]",
  "ada@[2001:db8::1]",
  "\ud800@example.com",
])("%j is not an address", (text) => {
  expect(addressDomain(text)).toBeNull();
  expect(storedAddress(text)).toBeNull();
});

test.each([
  ["nia..v.@docomo.example", '"nia..v."@docomo.example'],
  [".é@[192.0.2.1]", '".é"@[192.0.2.1]'],
  ["..@a_b.example", '".."@a_b.example'],
  ['"nia..v."@Docomo.example', '"nia..v."@Docomo.example'],
  ["nia.v@_dmarc.example", "nia.v@_dmarc.example"],
])("%s is in use, and stored as %s", (text, stored) => {
  expect(storedAddress(text)).toBe(stored);
  expect(addressDomain(text)).toBe(addressDomain(stored));
  expect(normalAddress(text)).toBe(normalAddress(stored));
});
