import fc from "fast-check";
import { expect, test } from "vitest";
import { parseEmail } from "../../../../lib/email/parse-email.ts";
import { decodeRaw, renderContent } from "../../../../lib/messages/content/render-content.ts";
import { sampleEmail, sampleNames } from "../../../harness/sample-email.ts";

const render = (raw: Uint8Array): string => Buffer.concat([...renderContent(raw)]).toString();

const stringified = (raw: Uint8Array): string =>
  JSON.stringify({ content: decodeRaw(raw), content_parsed: parseEmail(raw) }).slice(1);

const encodeRaw = (content: string, raw: Uint8Array): Buffer =>
  Buffer.from(content, Buffer.from(content).equals(raw) ? "utf8" : "latin1");

test.each([
  ["as UTF-8 if the bytes are valid UTF-8", Buffer.from("\ufeffGrüße 🌍\0"), "\ufeffGrüße 🌍\0"],
  ["as latin1 otherwise", Buffer.from([0x80, 0xff, 0x41, 0xc3, 0xa4]), "\x80ÿAÃ¤"],
])("content is decoded %s", (_, raw, content) => {
  expect(decodeRaw(raw)).toBe(content);
});

test("content contains every byte of the original email", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.string({ unit: "binary" }).map((s) => Buffer.from(s)),
      ),
      (raw) => {
        expect(encodeRaw(decodeRaw(raw), raw)).toEqual(Buffer.from(raw));
      },
    ),
  );
});

test.each(sampleNames)("content and content_parsed are rendered as JSON: %s", async (name) => {
  const raw = await sampleEmail(name);

  expect(render(raw)).toBe(stringified(raw));
});

test("the rendered content of any bytes equals the output of JSON.stringify", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (raw) => {
      expect(render(raw)).toBe(stringified(raw));
    }),
  );
});

test("a surrogate pair is never split between two pieces", () => {
  const shifted = Buffer.from(`\n${"🌍".repeat(100_000)}`);
  const aligned = Buffer.from(`\n\n${"🌍".repeat(100_000)}`);

  expect(render(shifted) === stringified(shifted)).toBe(true);
  expect(render(aligned) === stringified(aligned)).toBe(true);
});

test("pieces have less than 1 MiB, even if every character is escaped", () => {
  const pieces = [...renderContent(Buffer.from(`\n${"€\0".repeat(1_000_000)}`))];

  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(1024 * 1024);
});
