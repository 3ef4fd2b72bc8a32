import { expect, test } from "vitest";
import { normalAddress } from "../../../lib/addresses/person.ts";

/** Stored keys contain digests of these, so no release may change one. */
test.each([
  ["Ada@Example.ORG", "ada@example.org"],
  ["ada@B\u00fccher.example", "ada@xn--bcher-kva.example"],
  ["Ada@xn--bcher-kva.EXAMPLE", "ada@xn--bcher-kva.example"],
  ["andre\u0301@example.org", "andr\u00e9@example.org"],
  ["ANDR\u00c9@example.org", "andr\u00e9@example.org"],
  ['"ada"@example.org', "ada@example.org"],
  ['"a.\\"b\\\\"@example.org', 'a."b\\@example.org'],
  ['"Nia..v."@docomo.example', "nia..v.@docomo.example"],
  ["nia..v.@docomo.example", "nia..v.@docomo.example"],
  ["ada+news@example.org", "ada+news@example.org"],
  ["ada@[IPv6:2001:DB8::1]", "ada@[ipv6:2001:db8::1]"],
  ["a..b@EXAMPLE.com", "a..b@example.com"],
  ["nobody", "@nobody"],
])("%s is %s", (address, normal) => {
  expect(normalAddress(address)).toBe(normal);
  expect(normalAddress(normal)).toBe(normal);
});
