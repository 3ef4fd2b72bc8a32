/** Random emails for property tests, both well-formed and damaged. */
import fc from "fast-check";
import iconv from "iconv-lite";

/** An email or one of its parts. `source` has one character per byte. The parser must find the other fields in it. */
type Part = { source: string; texts: string[]; attachments: { filename: string; content: string }[] };

export type GeneratedEmail = { bytes: Buffer; subject: string } & Omit<Part, "source">;

type Charset = { name: string; characters: string; encode: (text: string) => Buffer };

const known = (name: string, characters: string): Charset => ({
  name,
  characters,
  encode: (text) => iconv.encode(text, name),
});

/** Each Japanese character is a pair of 7-bit bytes between two escape sequences. */
const iso2022Jp: Charset = {
  name: "iso-2022-jp",
  characters: "あ漢①",
  encode: (text) =>
    Buffer.concat(
      Array.from(text, (character) => {
        const bytes = iconv.encode(character, "euc-jp");
        const pair = Buffer.from(bytes.map((byte) => byte & 0x7f));
        return character < "\x80" ? bytes : Buffer.from(`\x1b$B${pair}\x1b(B`);
      }),
    ),
};

const charsets = [
  known("us-ascii", "abc"),
  known("utf-7", "üß€あ🌍"),
  iso2022Jp,
  known("utf-8", "üß€あ🌍\u00a0\u2028"),
  known("UTF8", "üß€あ🌍"),
  known("iso-8859-1", "üßé"),
  known("windows-1252", "€“ü"),
  known("iso-8859-15", "€œü"),
  known("koi8-r", "Привет"),
  known("shift_jis", "あ髙①"),
  known("euc-jp", "あ漢"),
  known("euc-kr", "가똠"),
  known("big5", "您好"),
  known("gb18030", "您𠮷"),
];

const { constantFrom, tuple, array } = fc;
const name = fc.stringMatching(/^[a-z]{1,12}$/);
const latin1 = (bytes: Buffer) => bytes.toString("latin1");
const hex = (byte: number) => byte.toString(16).padStart(2, "0").toUpperCase();
const escaped = (bytes: Buffer, sign: string) =>
  latin1(bytes).replace(/[^A-Za-z0-9]/g, (character) => sign + hex(character.charCodeAt(0)));
const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/.{76}/g, "$&\n");

/** Encodings of a body. */
const transfers = {
  "8bit": (lines: Buffer[]) => lines.map(latin1).join("\n"),
  Binary: (lines: Buffer[]) => lines.map(latin1).join("\n"),
  "quoted-printable": (lines: Buffer[]) =>
    lines.map((line) => escaped(line, "=").replace(/(?:=..|[^=]){20}/g, "$&=\n")).join("\n"),
  BASE64: (lines: Buffer[]) => base64(Buffer.from(lines.map(latin1).join("\r\n"), "latin1")),
  "base64 (c)": (lines: Buffer[]) => base64(Buffer.from(lines.map(latin1).join("\n"), "latin1")),
};

/** Spellings of a header field. */
const field = (name: string, value: string) =>
  constantFrom(
    `${name}: ${value}`,
    `${name.toLowerCase()}:${value}`,
    `${name.toUpperCase()} : ${value} `,
    `${name}:\n ${value}`,
    `${name}:\n${value}`,
    `${name}: ${value.replaceAll("; ", ";\n\t")}`,
    `${name}: ${value.replaceAll("; ", ";\n")}`,
    `${name}: (c) ${value.replaceAll("; ", " (c; c) ; ")}\t`,
  );

/** Spellings of a parameter. */
const parameter = (name: string, value: string) =>
  constantFrom(
    `${name}="${value}"`,
    `${name.toUpperCase()} = "${value}"`,
    `${name}*0="${value.slice(0, 2)}"; ${name}*1="${value.slice(2)}"`,
    `${name}*=us-ascii''${escaped(Buffer.from(value), "%")}`,
  );

/** The separator of header and body, which real mail sometimes lacks. */
const separator = constantFrom("\n\n", "\n\n", "\n\n", "\n \n", "\n");

/** Text lines that look neither like header fields nor like delimiters. */
const linesIn = ({ characters, encode }: Charset) =>
  array(
    tuple(
      fc.stringMatching(/^[A-Z][A-Za-z0-9 =.?<>"()_-]{0,40}[a-z]$/),
      array(constantFrom(...characters), { maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 5 },
  ).map((lines) =>
    lines.map(([ascii, others]) => ascii + others.join("")).map((text) => ({ text, bytes: encode(text) })),
  );

/** Text with a colon may look like a header field, so it needs an empty line in front. */
const parted = (header: string, separator: string, body: string) =>
  header + (body.includes(":") ? "\n\n" : separator) + body;

const textPart = tuple(constantFrom(...charsets), constantFrom(...Object.entries(transfers))).chain(
  ([charset, [transfer, encodeLines]]) =>
    tuple(
      linesIn(charset),
      parameter("charset", charset.name).chain((charset) => field("Content-Type", `text/plain; ${charset}`)),
      field("Content-Transfer-Encoding", transfer),
      constantFrom("Content-Disposition: inline\n", "X-Other: Content-Type\n", ""),
      separator,
    ).map(
      ([lines, type, encoding, other, separator]): Part => ({
        source: parted(`${other}${type}\n${encoding}`, separator, encodeLines(lines.map(({ bytes }) => bytes))),
        texts: [lines.map(({ text }) => text).join("\n")],
        attachments: [],
      }),
    ),
);

const attachmentPart = tuple(
  name,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
).chain(([filename, content]) =>
  tuple(
    parameter("filename", filename).chain((filename) => field("Content-Disposition", `attachment; ${filename}`)),
    constantFrom("image/png", "text/plain", "message/rfc822", "application/x-a.b+c"),
  ).map(
    ([disposition, type]): Part => ({
      source: `Content-Type: ${type}\n${disposition}\nContent-Transfer-Encoding: base64\n\n${base64(content)}`,
      texts: [],
      attachments: [{ filename, content: content.toString("base64") }],
    }),
  ),
);

/** Boundaries with unusual characters. No two are equal. */
const boundary = tuple(constantFrom("", "----=_Part_", "=_", "a b(c)/", "--"), fc.uuid()).map((both) => both.join(""));

const padding = constantFrom("", "", " ", "\t ");

const { part } = fc.letrec<{ part: Part; multipart: Part }>((tie) => ({
  part: fc.oneof({ depthSize: "small", withCrossShrink: true }, textPart, attachmentPart, tie("multipart")),
  multipart: tuple(boundary, array(tie("part"), { minLength: 1, maxLength: 3 })).chain(([boundary, children]) =>
    tuple(
      parameter("boundary", boundary).chain((boundary) => field("Content-Type", `multipart/mixed; ${boundary}`)),
      separator,
      constantFrom("", "A preamble\n\n"),
      padding,
      constantFrom(`\n--${boundary}--`, `\n--${boundary}-- \nAn epilogue`, ""),
    ).map(
      ([type, separator, preamble, padding, end]): Part => ({
        source: `${type}${separator}${preamble}${children
          .map(({ source }) => `--${boundary}${padding}\n${source}`)
          .join("\n")}${end}`,
        texts: children.flatMap(({ texts }) => texts),
        attachments: children.flatMap(({ attachments }) => attachments),
      }),
    ),
  ),
}));

/** A subject of several short encoded words. */
const subject = constantFrom(...charsets).chain((charset) =>
  array(
    tuple(
      array(constantFrom(...charset.characters), { minLength: 1, maxLength: 3 }).map((word) => word.join("")),
      constantFrom("q", "B"),
      constantFrom(" ", "\n ", "\n\t "),
    ),
    { minLength: 1, maxLength: 4 },
  ).map((words) => ({
    text: words.map(([word]) => word).join(""),
    source: words
      .map(([word, encoding, blank]) => {
        const bytes = charset.encode(word);
        const content = encoding === "q" ? escaped(bytes, "=") : bytes.toString("base64");
        return `=?${charset.name}?${encoding}?${content}?=${blank}`;
      })
      .join("")
      .trimEnd(),
  })),
);

/** A readable email. The parser must find all of its text. */
export const generatedEmail: fc.Arbitrary<GeneratedEmail> = tuple(
  constantFrom("", "\n", " \n\n", "From ada@example.com Fri Nov 20 12:00:00 2026\n"),
  subject,
  constantFrom("", "X-Broken: a;\nno field\n", "X-Broken:\nno field\n"),
  part,
  constantFrom("\r\n", "\n", "\r"),
).map(([before, subject, broken, { source, texts, attachments }, lineEnd]) => ({
  bytes: Buffer.from(
    `${before}From: ada@example.com\n${broken}Subject: ${subject.source}\n${source}`.replaceAll("\n", lineEnd),
    "latin1",
  ),
  subject: subject.text,
  texts,
  attachments,
}));

/** Fragments that break email parsers. */
const fragment = constantFrom(
  ...'\r\n|\n|\r| |\t|--|--a--|:|;|=|"|\\|<|>|(|)|,|@|*0*|?=|=C3|%C3|\xe9|\0|\ud83d|From |From: |To: |Date: '.split(
    "|",
  ),
  ..."=?utf-8?q?|=?iso-2022-jp?b?|=?utf-7?q?+2D0|=?x?q?|\x1b$B|\x1b(B|~{|multipart/mixed|; boundary=a".split("|"),
  ..."Content-Type: |text/html|; charset=utf-16||; charset=utf-7|__proto__: |; filename*=".split("|"),
  ..."Content-Transfer-Encoding: |base64|quoted-printable|Content-Disposition: |attachment".split("|"),
);

/** Random sequences of fragments. */
export const jumble: fc.Arbitrary<Buffer> = array(fragment, { maxLength: 60 }).map((fragments) =>
  Buffer.from(fragments.join(""), "latin1"),
);

const accidents: Record<string, (email: Buffer, at: number, length: number, other: Buffer) => Buffer[]> = {
  insert: (email, at, _, other) => [email.subarray(0, at), other, email.subarray(at)],
  replace: (email, at, length, other) => [email.subarray(0, at), other, email.subarray(at + length)],
  remove: (email, at, length) => [email.subarray(0, at), email.subarray(at + length)],
  repeat: (email, at, length) => [email.subarray(0, at + length), email.subarray(at)],
  cut: (email, at) => [email.subarray(0, at)],
};

/** A change at a place, given as a fraction of the email's length. */
const accident = tuple(
  constantFrom(...Object.values(accidents)),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat({ max: 80 }),
  fc.oneof(
    fragment.map((text) => Buffer.from(text, "latin1")),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  ),
);

/** Applies a few random changes to `emails`. */
export const mutated = (emails: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  tuple(emails, array(accident, { minLength: 1, maxLength: 6 })).map(([email, happened]) =>
    happened.reduce(
      (bytes, [change, place, length, other]) =>
        Buffer.concat(change(bytes, Math.floor(place * bytes.length), length, other)),
      email,
    ),
  );
