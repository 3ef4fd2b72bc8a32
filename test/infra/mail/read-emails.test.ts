import { Readable } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Email, readEmails } from "../../../infra/mail/read-emails.ts";
import { sampleEmail, sampleNames } from "../../harness/sample-email.ts";

/** The emails of a stream that arrives in pieces of `size` bytes. */
const read = async (bytes: Buffer | string, size = 1_000_000) => {
  const all = Buffer.from(bytes);
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.subarray(index * size, (index + 1) * size),
  );
  return Readable.from(readEmails(Readable.from(pieces))).toArray() as Promise<Email[]>;
};
const textsOf = async (bytes: string, size?: number) =>
  (await read(bytes, size)).map(({ raw }) => raw.toString("latin1"));

const from = "From ada@example.com Sat Nov 21 15:00:00 2026\n";

test.each([
  ["Unix", "From ada@example.com Sat Nov 21 15:00:00 2026"],
  ["a time zone", "From ada@example.com Sat Nov 21 15:00:00 +0100 2026"],
  ["Gmail", "From 1849376203@xxx Sat Nov 21 15:00:00 +0000 2026"],
  ["Thunderbird", "From - Sat Nov 21 15:00:00 2026"],
  ["Eudora", "From ???@??? Sat Nov 21 15:00:00 2026"],
  ["without seconds", "From MAILER-DAEMON Sat Nov 21 15:00 2026"],
])("An mbox is split where a From line begins an email: %s", async (_, line) => {
  const mbox = `${line}\nSubject: 1\n\nOne\n\n${line}\nSubject: 2\n\nTwo\n\n`;

  expect(await textsOf(mbox)).toEqual(["Subject: 1\n\nOne\n", "Subject: 2\n\nTwo\n"]);
});

const text = `One\n${from}\nFrom now on, at 15:00, all is well\n\nFrom ${"x".repeat(1000)} 15:00:00 2026\n`;

test.each([
  ["CRLF line ends are kept", "A: 1\r\n\r\nOne\r\n"],
  ["text that begins with From is no new email", `A: 1\n\n${text}`],
  ["a quoted From is restored", "\n>From x\n>>From x\n> From\nA >From x\n", "\nFrom x\n>From x\n> From\nA >From x\n"],
  ["a long Content-Length is ignored", "Content-Length: 9999\n\nOne\n"],
  ["a short Content-Length is ignored", "Content-Length: 1\n\nOne\n"],
])("Each email of an mbox is read, and %s", async (_, written, email = written) => {
  const newline = written.endsWith("\r\n") ? "\r\n" : "\n";
  const entry = `${from.trimEnd()}${newline}${written}${newline}`;

  expect(await textsOf(`${entry}${entry}`)).toEqual([email, email]);
});

test("The last email needs no line end", async () => {
  expect(await textsOf(`${from}Subject: 1\n\nOne`)).toEqual(["Subject: 1\n\nOne"]);
});

test.each(sampleNames.filter((name) => name !== "mbox-from-line"))(
  "What does not begin with a From line is one email, to the byte: %s",
  async (name) => {
    const raw = await sampleEmail(name);

    expect(await read(raw, 100)).toEqual([{ raw, bytes: raw.length, isOfMbox: false }]);
  },
);

test("Any emails come out as they went in, however the stream is cut", async () => {
  const line = fc.constantFrom("", "From ", "From x 1:00 2026", ">From y", "Subject: a", "é", "\r", ">>");
  const email = fc.array(line, { maxLength: 8 }).map((lines) => `A: b\n${lines.join("\n")}\n`);
  const emails = fc.array(email, { minLength: 1, maxLength: 4 });
  // As much as is read at once, to see whether it is an mbox.
  const longEmail = `A: b\n\n${"x".repeat(1000)}\n`;
  const quote = (text: string) => text.replaceAll(/^(?=>*From )/gm, ">");

  await fc.assert(
    fc.asyncProperty(emails, fc.integer({ min: 1, max: 80 }), async (emails, size) => {
      const mbox = [longEmail, ...emails].map((text) => `${from}${quote(text)}\n`).join("");

      expect((await read(mbox, size)).map(({ raw }) => raw.toString())).toEqual([longEmail, ...emails]);
    }),
  );
});

test("An email larger than what is stored is counted, not held, and the next one is read", async () => {
  const piece = Buffer.alloc(1024 * 1024, "x\n");
  const large = function* () {
    yield Buffer.from(from);
    for (let count = 0; count < 50; count++) yield piece;
    yield Buffer.from(`\n${from}Subject: 2\n\nTwo\n`);
  };
  let held = 0;

  const emails = [];
  for await (const email of readEmails(Readable.from(large()))) {
    emails.push({ bytes: email.bytes, text: email.raw.toString("utf8", 0, 100) });
    held = Math.max(held, email.raw.length);
  }

  expect(emails).toEqual([
    { bytes: 50 * 1024 * 1024, text: "" },
    { bytes: 16, text: "Subject: 2\n\nTwo\n" },
  ]);
});
