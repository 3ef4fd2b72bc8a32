import { once } from "node:events";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTransfer } from "../../../lib/email/transfer-encoding.ts";

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

test.each([
  ["-aGVs_bG8\xe9!", "hello"],
  ["aGk=aGVsbG8=", "hihello"],
  ["-aGVs", "hel"],
  ["aGVs_", "hel"],
  ["aGk=\naGVs\n", "hihel"],
  ["aGk= \t\r\naGVs \t\r\nbG8=\r\n", "hihello"],
  ["aGk=\r\naGV\r\nsbG8=\r\n\r\nIQ==\r\n", "hi"],
  ["aGk=\r\naGVs\r\nbG8=\r\n\r\nIQ==\r\n", "hihello!"],
  ["aGk=\r\nRegards\r\n", "hi"],
  [`aGk=\r\n${"Q".repeat(75)}\r\n${"Q".repeat(5)}\r\n`, `hi${"\x41\x04\x10".repeat(20)}`],
  [`aGk=\r\n${"Q".repeat(30)}\r\n`, "hi"],
  [`aGk=\r\n${"Q".repeat(31)}\r\n`, `hi${"\x41\x04\x10".repeat(7)}A\x04`],
  ["aGk=\r\nlist mailing list\r\n", "hi"],
  ["aGk=\r\n____\r\nlist\r\n", "hi"],
  ["=aGVs=bG8", "hello"],
  ["aGk====aGk=", "hihi"],
])(
  "base64 is decoded after padding as long as whole lines are base64, and other characters are ignored: %j",
  (text, decoded) => {
    expect(decodeTransfer(Buffer.from(text, "latin1"), "base64").toString()).toBe(decoded);
  },
);

test("an email full of the characters - and _ is decoded with 64 MB of heap", async () => {
  const module = new URL("../../../lib/email/transfer-encoding.ts", import.meta.url);
  const decode = `import("${module}").then((it) => it.decodeTransfer(Buffer.alloc(20_000_000, "A-B_"), "base64"))`;
  const worker = new Worker(decode, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } });

  expect(await once(worker, "exit")).toEqual([0]);
});
