import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTransfer, transferToBase64 } from "../../../../lib/messages/mime/transfer-encoding.ts";
import { attachment, parseSample, text } from "../../../harness/sample-email.ts";

test("quoted-printable is decoded, invalid escapes remain, and white space at the end of lines is removed", async () => {
  const { parts } = await parseSample("quoted-printable-damaged");

  expect(parts).toEqual([
    text("soft break, padded break, lower ü, bare =, broken =G1 =C, trailing\r\na = b\r\nend"),
  ]);
});

test("tabs are removed only at the end of a line", () => {
  const body = Buffer.from("a\tb\t\r\nc=\t\r\nd \t");

  expect(decodeTransfer(body, "quoted-printable").toString()).toBe("a\tb\r\ncd");
});

test("base64 decoding ignores other characters, and ends at the padding", async () => {
  expect(await parseSample("base64-damaged")).toMatchObject({
    parts: [text("Grüße")],
    attachments: [attachment("application/octet-stream", Buffer.of(0, 1, 2, 255))],
  });
});

test("a body with an unknown transfer encoding is not decoded", async () => {
  const { parts } = await parseSample("unknown-transfer-encoding");

  expect(parts).toEqual([text("Gr=C3=BC=C3=9Fe, Grüße\r\n")]);
});

test("a binary attachment keeps every byte", async () => {
  const { attachments } = await parseSample("binary-attachment");
  const everyByteThenLineBreak = Buffer.from([...Array(256).keys(), 13, 10]);

  expect(attachments).toEqual([attachment("application/octet-stream", everyByteThenLineBreak)]);
});

test("base64 with line breaks anywhere is decoded", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.integer({ min: 1, max: 80 }), (bytes, width) => {
      const base64 = Buffer.from(bytes).toString("base64");
      const body = Buffer.from(base64.replace(new RegExp(`.{${width}}`, "g"), "$&\r\n"));

      expect(decodeTransfer(body, "base64")).toEqual(Buffer.from(bytes));
      expect(transferToBase64(body, "base64")).toBe(base64);
    }),
  );
});

test("quoted-printable of any bytes is decoded", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.integer({ min: 1, max: 20 }), (bytes, width) => {
      const escaped = Array.from(
        bytes,
        (byte, i) => `=${byte.toString(16).padStart(2, "0")}${i % width ? "" : "=\r\n"}`,
      );

      expect(decodeTransfer(Buffer.from(escaped.join("")), "quoted-printable")).toEqual(Buffer.from(bytes));
    }),
  );
});

test("the content of any attachment is canonical base64 without line breaks", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom("base64", "quoted-printable", "7bit"), (bytes, encoding) => {
      const content = transferToBase64(Buffer.from(bytes), encoding);

      expect(Buffer.from(content, "base64").toString("base64")).toBe(content);
    }),
  );
});
