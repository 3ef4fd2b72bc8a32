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
  ["the year before the time", "From - Sat Nov 21 2026 15:00:00"],
  ["ISO 8601", "From ada@example.com 2026-11-21T15:00:00+01:00"],
  ["no date", "From ada@example.com"],
  ["only a day", "From - 2026-11-21"],
  ["Thunderbird since 2024", "From "],
  ["without a blank", "From"],
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

const bare = "From \n";
const undated = "From ada@example.com\n";
const iso = "From - 2026-11-21 15:00\n";
const mail = (number: number, text = `${number}\n`) => `A: ${number}\n\n${text}`;
const counted = (number: number, text: string) => `A: ${number}\nContent-Length: ${text.length}\n\n${text}`;
const quoting = `x\n\n${from}A: 0\n>From y\n`;
const crlf = (text: string) => text.replaceAll("\n", "\r\n");
const countedCrlf = crlf(counted(1, "")).replace("0", `${crlf(quoting).length}`) + crlf(quoting);
const twice = counted(1, quoting).replace("\n\n", "\nContent-Length: 99\n\n");
const [isCounted, isJoined, isUndated] = [/Content-Length/, /no blank line/, /without a date/];

test.each<[string, string, string[], RegExp?]>([
  [
    "a byte-order mark and blank lines at the start",
    `\xef\xbb\xbf\n\r\n${from}${mail(1)}\n${from}${mail(2)}`,
    [mail(1), mail(2)],
  ],
  ["a comment at the start", `# Exported\n${from}${mail(1)}\n${from}${mail(2)}`, [mail(1), mail(2)], /left out/],
  [
    "a comment at the start, and an undated From line after dated ones",
    `# Exported\n${from}${mail(1)}\n${undated}${mail(2)}`,
    [`${mail(1)}\n${undated}${mail(2)}`],
    /left out/,
  ],
  ["the end of an email at the start", `yours, Ada\n\n${from}${mail(1)}`, [mail(1)], /left out/],
  ["a header before text with a From line", `A: 0\n\n${from}${mail(1)}`, [`A: 0\n\n${from}${mail(1)}`]],
  [
    "no blank line before any From line",
    `${from}${mail(1)}${from}${mail(2)}${iso}${mail(3)}`,
    [mail(1), mail(2), mail(3)],
  ],
  [
    "no blank line before one From line",
    `${from}${mail(1)}\n${from}${mail(2)}${from}${mail(3)}`,
    [mail(1), mail(2), mail(3)],
    isJoined,
  ],
  [
    "a bare From line after dated ones",
    `${from}${mail(1)}\n${bare}${mail(2)}\n${from}${mail(3)}`,
    [mail(1), mail(2), mail(3)],
  ],
  ...["From x Sat Nov 21 9:00 2026\n", "From - Sat Nov 21 2026 9:00\n", "From \t-\t\n", "From \r\n"].map(
    (line): [string, string, string[]] => [
      `no blank line before ${JSON.stringify(line)}`,
      `${line}${mail(1)}${line}${mail(2)}`,
      [mail(1), mail(2)],
    ],
  ),
  ["Netscape's From lines", `From - \n${mail(1)}From - \n${mail(2)}`, [mail(1), mail(2)]],
  [
    "an undated From line after dated ones",
    `${from}${mail(1)}\n${undated}${mail(2)}`,
    [`${mail(1)}\n${undated}${mail(2)}`],
    isUndated,
  ],
  ["an undated From line after bare ones", `${bare}${mail(1)}\n${undated}${mail(2)}`, [mail(1), mail(2)]],
  [
    "an undated From line before a colon in text",
    `${from}${mail(1)}${undated}${mail(2)}`,
    [`${mail(1)}${undated}${mail(2)}`],
  ],
  [
    "an undated From line in an email that could be text of the one before it",
    `${from}${mail(1)}\n${from}${mail(2)}${from}${mail(3)}\n${undated}${mail(4)}`,
    [mail(1), mail(2), `${mail(3)}\n${undated}${mail(4)}`],
    isJoined,
  ],
  [
    "a quoted From line as the first line of an email",
    `${bare}>From x\n${mail(1)}\n${bare}>From x\n${mail(2)}`,
    [`From x\n${mail(1)}`, `From x\n${mail(2)}`],
  ],
  [
    "text before no header",
    `${bare}${mail(1)}\nFrom here\non\n\nFrom there: on\n`,
    [`${mail(1)}\nFrom here\non\n\nFrom there: on\n`],
  ],
  ["a dated From line in text", `${from}${mail(1)}${from}${"x\n"}`, [`${mail(1)}${from}x\n`]],
  ["an email without a header after a blank line", `${from}${mail(1)}\n${from}\nx\n`, [mail(1), "\nx\n"]],
  [
    "a Content-Length that ends at a From line",
    `${from}${counted(1, quoting)}\n${from}${mail(2)}`,
    [counted(1, quoting), mail(2)],
    isCounted,
  ],
  ["a Content-Length that ends at the end", `${from}${counted(1, quoting)}`, [counted(1, quoting)], isCounted],
  [
    "a Content-Length that ends at a From line, with line ends of CRLF",
    `${crlf(from)}${countedCrlf}\r\n${crlf(from)}${mail(2)}`,
    [countedCrlf, mail(2)],
    isCounted,
  ],
  [
    "a Content-Length that doesn't count the last line end",
    `${from}${counted(1, quoting.trimEnd())}\n\n${from}${mail(2)}`,
    [counted(1, quoting.trimEnd()), mail(2)],
    isCounted,
  ],
  [
    "a Content-Length that ends three blank lines before a From line",
    `${from}${counted(1, quoting)}\n\n\n${from}${mail(2)}`,
    [counted(1, quoting).split(`\n${from}`)[0] ?? "", "A: 0\nFrom y\n\n\n", mail(2)],
  ],
  ["a Content-Length after a comment", `# Exported\n${from}${counted(1, quoting)}`, [counted(1, quoting)], isCounted],
  [
    "a Content-Length that ends in a line before From",
    `${from}${counted(1, "x")}${from}${mail(2)}`,
    [`${counted(1, "x")}${from}${mail(2)}`],
  ],
  [
    "a Content-Length that ends before text that begins with From",
    `${from}${counted(1, "x\n")}From here\non\n`,
    [`${counted(1, "x\n")}From here\non\n`],
  ],
  [
    "an unquoted From line in one email, so that the others that are counted aren't quoted, either",
    `${from}${counted(1, quoting)}\n${from}${counted(2, ">From z\n")}\n${from}${mail(3, ">From w\n")}`,
    [counted(1, quoting), counted(2, ">From z\n"), mail(3, "From w\n")],
    isCounted,
  ],
  [
    "a Content-Length that ends elsewhere",
    `${from}${counted(1, "x\n")}y\n\n${from}${mail(2)}`,
    [`${counted(1, "x\n")}y\n`, mail(2)],
  ],
  [
    "two Content-Lengths",
    `${from}Content-Length: 99\n${counted(1, "x\n")}\n${from}${mail(2)}`,
    [`Content-Length: 99\n${counted(1, "x\n")}`, mail(2)],
  ],
  [
    "two Content-Lengths, of which the first ends at a From line",
    `${from}${twice}\n${from}${mail(2)}`,
    [twice.split(`\n${from}`)[0] ?? "", "A: 0\nFrom y\n", mail(2)],
  ],
  [
    "a Content-Length without From lines inside",
    `${from}${counted(1, "x\n>From y\n")}\n${from}${mail(2)}`,
    [counted(1, "x\n>From y\n").replace(">", ""), mail(2)],
  ],
])("An mbox is split where an email begins, and a doubt is said: %s", async (_, mbox, expected, doubt) => {
  for (const size of [7, 1_000_000]) {
    const emails = await read(Buffer.from(mbox, "latin1"), size);

    expect(emails.map(({ raw }) => raw.toString("latin1"))).toEqual(expected);
    expect(emails.flatMap((email) => email.doubt ?? [])).toEqual(doubt ? [expect.stringMatching(doubt)] : []);
  }
});

test.each([
  ["gzip", "\x1f\x8b\x08\x00 From: a@example.com", /gzip. Unpack/],
  ["bzip2", "BZh91AY&SY", /bzip2. Unpack/],
  ["xz", "\xfd7zXZ\0\0\x04", /xz. Unpack/],
  ["zstd", "\x28\xb5\x2f\xfd\x04", /zstd. Unpack/],
  ["7z", "7z\xbc\xaf\x27\x1c\0\x04", /7z archive. Unpack/],
  ["rar", "Rar!\x1a\x07\x01\0", /rar archive. Unpack/],
  ["Outlook's data", "!BDN\x1a", /\.pst/],
  ["Outlook Express", "\xcf\xad\x12\xfe\xc5", /\.dbx/],
  ["TNEF", "\x78\x9f\x3e\x22\x01", /winmail\.dat/],
  ["UW IMAP", "*mbx*\r\n3b1", /UW IMAP/],
  ["MMDF", "\x01\x01\x01\x01\nFrom: a@example.com", /MMDF/],
  ["Babyl", "BABYL OPTIONS: -*- rmail -*-\nVersion: 5\n", /Babyl/],
  ["SQLite", "SQLite format 3\0\x10", /SQLite/],
  ["PDF", "%PDF-1.7\n", /PDF/],
  ["HTML with a From line", `<!-- saved -->\n${from}${mail(1)}`, /HTML/],
  ["HTML", "\n <!-- saved -->\nFrom: a@example.com", /HTML/],
  ["zip", "PK\x03\x04", /zip/],
  ["Outlook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", /\.msg/],
  ["nothing", "", /empty/],
  ["UTF-16 with a mark", "\xff\xfeF\0r\0o\0m\0", /UTF-16/],
  ["UTF-16 of big-endian with a mark", "\xfe\xff\0F\0r\0o\0m", /UTF-16/],
  ["UTF-16 without a mark", "\0F\0r\0o\0m\0:", /UTF-16/],
  ["UTF-16 of little-endian without a mark", "F\0r\0o\0m\0:\0", /UTF-16/],
  ["an index of Thunderbird", '// <!-- <mdb:mork:z v="1.4"/> -->', /Thunderbird/],
  ["an index of Apple Mail", "\0\x0d\xbb\xa0", /Apple Mail/],
  ["a tar archive", `x${"\0".repeat(256)}ustar`, /tar/],
  ["text", "Dear reader: hello\n\nFrom: a\n", /no header field/],
  ["text with an undated From line", `Dear reader\n${undated}${mail(1)}`, /no header field/],
  ["text with a From line before text", `Dear reader\n${from}Hello\n`, /no header field/],
  ["settings", "version: 1\nname: x\n", /no header field/],
  ["JSON", '{\n  "from": "a@example.com",\n', /JSON/],
  ["a list in JSON", '[{"from": "a@example.com"}]', /JSON/],
  ["a vCard", "BEGIN:VCARD\r\nVERSION:3.0\r\n", /vCard/],
  ["a calendar", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", /calendar/],
])("What is no email is recognised: %s", async (_, content, reason) => {
  const reading = readEmails(
    Readable.from([Buffer.from(content, "latin1")]),
    reason.test("Apple Mail") ? "in/table_of_contents" : "x",
    true,
  );

  await expect(reading.next()).rejects.toThrow(reason);
});

test("A file that an operator names needs one header field, and a file of a folder needs a usual one", async () => {
  const read = (isListed: boolean) =>
    Readable.from(readEmails(Readable.from([Buffer.from("version: 1\n")]), "a", isListed)).toArray();

  expect(await read(false)).toHaveLength(1);
  await expect(read(true)).rejects.toThrow("it has no header field of an email");
});

test("Of an .emlx, the email is read", async () => {
  expect(await textsOf(`${mail(1).length}   \n${mail(1)}<?xml version="1.0"?>\n<plist/>`)).toEqual([mail(1)]);
  expect(await textsOf(`99\n${mail(1)}`)).toEqual([mail(1)]);
  const long = mail(1, "x\n".repeat(10_000));
  expect(await textsOf(`${long.length}\r\n${long}<plist/>`, 1000)).toEqual([long]);
});

test("A file with line ends of CR alone is one email", async () => {
  const file = `${from}${mail(1)}`.replaceAll("\n", "\r");

  expect(await textsOf(file)).toEqual([file]);
  expect((await read(file))[0]).not.toHaveProperty("doubt");
  expect(await read(file + file)).toMatchObject([{ doubt: expect.stringContaining("CR alone") }]);
});

test("The last email needs no line end", async () => {
  expect(await textsOf(`${from}Subject: 1\n\nOne`)).toEqual(["Subject: 1\n\nOne"]);
});

test.each(sampleNames.filter((name) => !["mbox-from-line", "empty", "no-headers"].includes(name)))(
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
  // More than is read at once, to see whether it is an mbox.
  const longEmail = `A: b\n\n${"x".repeat(5000)}\n`;
  const quote = (text: string) => text.replaceAll(/^(?=>*From )/gm, ">");

  await fc.assert(
    fc.asyncProperty(emails, fc.integer({ min: 1, max: 80 }), fc.boolean(), async (emails, size, isCrlf) => {
      const written = (text: string) => (isCrlf ? crlf(text) : text);
      const mbox = [longEmail, ...emails].map((text) => `${from}${quote(text)}\n`).join("");

      const texts = (await read(written(mbox), size)).map(({ raw }) => raw.toString());
      expect(texts).toEqual([longEmail, ...emails].map(written));
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

test("An email of the largest size that is stored is read whole", async () => {
  const raw = Buffer.alloc(40 * 1024 * 1024, "x\n");
  raw.write("A: 1\n\n");

  const [email] = await read(raw, 16 * 1024 * 1024);

  expect(email?.raw.equals(raw)).toBe(true);
});

test.each([
  ["after its first email", `${from}${mail(1)}\n${from}${mail(2)}`],
  ["because it is no email", "No email"],
])("A stream that isn't read to its end is closed: %s", async (_, start) => {
  const stream = Readable.from(
    (async function* () {
      yield Buffer.from(start);
      for (;;) yield Buffer.alloc(1024 * 1024);
    })(),
  );
  const readFirst = async () => {
    for await (const email of readEmails(stream)) return email;
  };

  await readFirst().catch(() => {});

  expect(stream.destroyed).toBe(true);
});
