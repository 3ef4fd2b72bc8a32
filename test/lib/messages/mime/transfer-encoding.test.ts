import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTransfer, transferToBase64 } from "../../../../lib/messages/mime/transfer-encoding.ts";

test("tabs are removed only at the end of a line", () => {
  const body = Buffer.from("a\tb\t\r\nc=\t\r\nd \t");

  expect(decodeTransfer(body, "quoted-printable").toString()).toBe("a\tb\r\ncd");
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
