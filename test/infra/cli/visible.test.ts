import { expect, test } from "vitest";
import { inLink, visible, visibleLines } from "../../../infra/cli/visible.ts";

const acting = [..."\n\t\u0007\u001b\u007f\u0085\u009b\u009d\u2028\u2029\u202a\u202e\u2066\u2069"];

test.each(acting)("%j doesn't act where it is printed, copied or linked", (character) => {
  const shown = visible(`before${character}after`);

  expect(shown).toBe(`before\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}after`);
  expect(JSON.parse(visible(JSON.stringify({ character })))).toEqual({ character });
  expect(new RegExp(`${inLink}+`, "u").exec(`https://example.com/a?b=ü${character}c`)?.[0]).toBe(
    "https://example.com/a?b=ü",
  );
});

test("Text of several lines keeps its lines, and all other text stays as it is", () => {
  const text = "فاتورة 2026\tZoë 🎉\r\nsecond\u2028third \\u0007";

  expect(visibleLines(`${text}\u202e\u009b`)).toBe(`${text}\\u202e\\u009b`);
});
