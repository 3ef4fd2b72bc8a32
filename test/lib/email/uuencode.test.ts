import { expect, test } from "vitest";
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { decodeTransfer } from "../../../lib/email/transfer-encoding.ts";
import { attachment } from "../../harness/sample-email.ts";

const decode = (...lines: string[]) => decodeTransfer(Buffer.from(lines.join("\n")), "x-uue").toString();

test.each(["x-uuencode", "X-UUE", "uuencode", "uue"])("a file in %s is an attachment, decoded", (encoding) => {
  const email = [
    "Content-Type: image/png; name=a.png",
    `Content-Transfer-Encoding: ${encoding}`,
    "",
    "begin 644 a.png",
    "#0V%T",
    "`",
    "end",
    "",
  ].join("\r\n");

  expect(parseEmail(Buffer.from(email))?.attachments).toEqual([attachment("image/png", "Cat", "a.png")]);
});

test("damaged lines are decoded as far as possible", () => {
  const damaged = ["begin 644 a", "#0V%T", "", "$0V%T", "#0V%Tmore", "%0V", "end", "#0V%T"];
  expect(decode("before", ...damaged)).toBe("CatCatCatC`\0");
  expect(decode("begin 644 a", "#0V%T")).toBe("Cat");
  expect(decode("begin 0644 a", "#0V%T")).toBe("Cat");
  expect(decode("To begin 644 a", "begin 644 b", "#0V%T")).toBe("Cat");
  expect(decode("begin 644 a", "end more", "#0V%T")).not.toBe("");
});

test("a body without begin line is not decoded", () => {
  expect(decode("#0V%T", "begin", "end")).toBe("#0V%T\nbegin\nend");
  expect(decode("Let us begin 644 a", "#0V%T")).toBe("Let us begin 644 a\n#0V%T");
});
