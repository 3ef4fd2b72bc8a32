/** Each email is read in a process of its own, because a process's peak of memory never falls. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const megabyte = 1_000_000;

/** Reads an email of 10 MB as an import does, and prints the peak of the process's memory in bytes. */
const script = (start: string, repeated: string) => `
  import { readEnvelope } from "./lib/email/envelope.ts";
  import { compressContent } from "./lib/messages/content/render-content.ts";
  const email = Buffer.alloc(${10 * megabyte}, ${JSON.stringify(repeated)}, "latin1");
  email.write(${JSON.stringify(start)}, "latin1");
  readEnvelope(email);
  await compressContent(email);
  console.log(process.resourceUsage().maxRSS * 1024);`;

const encoded = (encoding: string, type = "text/html") =>
  `Content-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n`;
const inCharset = (charset: string) => `Content-Type: text/plain; charset=${charset}\n\n`;
const headerOf = (line: string) => line.repeat(1_000_000 / line.length);

test.each([
  ["soft line breaks", encoded("quoted-printable"), "=\n"],
  ["escapes", encoded("quoted-printable"), "=41a"],
  ["padded base64", encoded("base64", "application/pdf"), "QQ==\n"],
  ["uuencode", `${encoded("x-uuencode")}begin 644 x\n`, "M\n"],
  ["UTF-7", inCharset("utf-7"), "+A-"],
  ["ISO-2022-JP", inCharset("iso-2022-jp"), "\x1b$(D\x22\x2f\x1b$A0!"],
  ["one character that is not latin1", inCharset("utf-8"), `<b>${"\xe2\x82\xac"}</b>${" ".repeat(1000)}`],
  ["control characters", encoded("8bit"), "\0\x80"],
  ["header fields", headerOf("A:\n"), "\n"],
  ["a folded field", `A: b\n${headerOf(" b\n")}`, "\n"],
  ["encoded words", `Subject: ${headerOf("=?utf-8?q?a?= =?koi8-r?q?b?= ")}`, "\n"],
  ["parameters", `Content-Type: a/b; ${headerOf("name*1*=%20;")}`, "\n"],
])("Reading an email takes at most 12 times its size and 150 MB of memory: %s", (_, start, repeated) => {
  const input = script(start, repeated);
  // On Linux, a process's peak begins with that of the process that started it, so a small shell starts this one.
  const { stdout, stderr } = spawnSync("sh", ["-c", "node --input-type=module; :"], { input });

  expect(stderr.toString()).toBe("");
  expect(Number(stdout)).toBeLessThan(12 * 10 * megabyte + 150 * megabyte);
});
