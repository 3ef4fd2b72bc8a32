/** Random requests of clients and attackers. */
import fc from "fast-check";
import { roles } from "../../lib/members/member.ts";

/** Valid values for a request, so that some requests pass the first checks. */
type Known = { account_id: string; message_id: string; secret: string };

/** The number of requests of each property and the seed. Set the environment variables to try more requests. */
export const requestCount = Number(process.env.HOSTILE_REQUESTS ?? 1000);
export const seed = Number(process.env.HOSTILE_SEED ?? 20261121);

/** Chooses an arbitrary. A higher weight makes a choice more likely. */
const oneOf = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Chooses one of the texts between the bars. */
const among = (texts: string): fc.Arbitrary<string> => fc.constantFrom(...texts.split("|"));

const inheritedNames = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "prototype"];

/** Header values with valid bytes, and a few with invalid bytes. */
const fieldValue = oneOf(
  [20, fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })],
  [2, fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)) })],
  [1, fc.constantFrom("\0", "\r", "a\tb", "x".repeat(3000), ",", ";", '"', "\u007f")],
);

const authorization = ({ secret }: Known) =>
  oneOf(
    [12, fc.constantFrom(`Bearer ${secret}`, `bearer  ${secret}`, `BEARER ${secret}`)],
    [2, among(`Bearer|Bearer |Bearer ${secret} x|Basic ${secret}|${secret}|Bearer emk_unknown`)],
    [1, fieldValue],
  );

const idempotencyKey = oneOf(
  [6, fc.constantFrom("a", "b", "k".repeat(255))],
  [2, fc.constantFrom("", "k".repeat(256), "%00", "é")],
  [1, fieldValue],
);

const contentType = oneOf(
  [8, among("application/json|application/json; charset=utf-8|application/a+b+json|APPLICATION/JSON")],
  [3, among("text/plain||application/json, text/plain|application/x-www-form-urlencoded|json")],
  [1, fieldValue],
);

const acceptEncoding = oneOf(
  [3, among("gzip|br|zstd|gzip, br;q=0.5, *;q=0|identity;q=0|*;q=0|gzip;q=x|,,;=")],
  [1, fieldValue],
);

type Pair = [name: string, value: string];
const named = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<Pair> => fc.tuple(fc.constant(name), value);
const anyCase = (pair: fc.Arbitrary<Pair>): fc.Arbitrary<Pair> =>
  fc
    .tuple(pair, fc.constantFrom("as it is", "lower", "upper"))
    .map(
      ([[name, value], letters]): Pair => [
        letters === "lower" ? name.toLowerCase() : letters === "upper" ? name.toUpperCase() : name,
        value,
      ],
    );

/** Headers in any order, some of them twice. The headers that delimit a body are never among them. */
export const headersFor = (known: Known): fc.Arbitrary<Pair[]> => {
  const one = anyCase(
    oneOf(
      [4, named("Authorization", authorization(known))],
      [3, named("Content-Type", contentType)],
      [3, named("Idempotency-Key", idempotencyKey)],
      [2, named("Accept-Encoding", acceptEncoding)],
      [
        1,
        fc.constantFrom<Pair>(
          ["Upgrade", "websocket"],
          ["Expect", "100-continue"],
          ["Expect", "a miracle"],
          ["TE", "trailers"],
        ),
      ],
      [1, named("Origin", fc.constantFrom("null", "http://evil.example", "http://127.0.0.1"))],
      [
        1,
        fc.tuple(fc.constantFrom(...inheritedNames, "X-Forwarded-For", "Cookie", "Range", "If-None-Match"), fieldValue),
      ],
    ),
  );
  const usual = fc.tuple(named("Authorization", authorization(known)), named("Content-Type", contentType));
  return fc
    .tuple(oneOf([3, usual as fc.Arbitrary<Pair[]>], [1, fc.constant<Pair[]>([])]), fc.array(one, { maxLength: 6 }))
    .map(([first, others]) => [...first, ...others]);
};

/** A segment of a path, as an id or as hostile text. */
export const segmentFor = (id: string): fc.Arbitrary<string> =>
  oneOf(
    [12, fc.constantFrom(id, id.toUpperCase())],
    [4, fc.constantFrom(..."x|..|.|%2e%2e|%2F|%ff|%|%00|*|null".split("|"), ...inheritedNames, "a".repeat(2000))],
    [2, fc.uuid()],
    [1, fc.string({ unit: "grapheme-ascii" }).map((text) => encodeURIComponent(text) || "x")],
    [1, fc.string({ unit: "binary" }).map((text) => encodeURIComponent(text.toWellFormed()) || "x")],
  );

const member = fc.record(
  {
    email: oneOf(
      [4, fc.constantFrom("ada@example.org", "ADA@example.org", "grace@example.org")],
      [
        2,
        fc.constantFrom<unknown>(
          "",
          "@",
          `${"a".repeat(250)}@b.c`,
          null,
          1,
          {},
          ["a@b.c"],
          "a@b.c\u0000",
          "\ud800@b.c",
        ),
      ] as never,
      [1, fc.string({ unit: "binary" })],
    ),
    role: fc.constantFrom<unknown>(...roles, "developer", "", null, 7),
    name: fc.constantFrom<unknown>("Ada", "", "🌍".repeat(255), "x".repeat(256), null, "\ud800", [], {}),
  },
  { requiredKeys: [] },
);

const soundMember = fc.record({
  email: fc.constantFrom("ada@example.org", "grace@example.org"),
  role: fc.constantFrom("Developer", "Analyst"),
});

/** A body as text, well-formed or not. */
export const body: fc.Arbitrary<string> = oneOf(
  [10, soundMember.map((value) => JSON.stringify(value))],
  [1, fc.constant(`{"name":"${"x".repeat(66_000)}"}`)],
  [8, member.map((value) => JSON.stringify(value))],
  [2, fc.json({ maxDepth: 4 })],
  [
    2,
    fc.constantFrom(
      "",
      "{",
      "null",
      "[]",
      '""',
      "{}{}",
      '{"email":"a@b.c","role":"Developer","__proto__":{"x":1}}',
      '{"constructor":{"prototype":{}}}',
      '{"constructor":"x","email":"a@b.c","role":"Analyst"}',
      '{"email":"\\ud800@b.c","role":"Analyst"}',
      `${"[".repeat(5000)}${"]".repeat(5000)}`,
      `{"a":${'{"a":'.repeat(150)}1${"}".repeat(150)}}`,
      '\ufeff{"email":"a@b.c","role":"Analyst"}',
      '{"email":"a@b.c","email":"b@b.c","role":"Analyst"}',
      "1e999",
    ),
  ],
  [1, fc.string({ unit: "binary" })],
);
