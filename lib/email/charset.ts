/** Decodes text in any charset that occurs in emails. */
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { decodeHz, decodeIso2022Cn, decodeIso2022Jp, decodeIso2022Kr, extendsIso2022Jp } from "./iso-2022.ts";
import { slicesOf, utf8SlicesOf } from "./slices.ts";
import { decodeUtf7 } from "./utf-7.ts";

/** With `x-user-defined`, Outlook Express and Netscape say that they don't know the charset. */
const asciiLabels = new Set([
  ...["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6", "csascii", "x-user-defined"],
]);
const utf7Labels = new Set(["utf-7", "utf7", "csutf7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7"]);
const hzLabels = new Set(["hz-gb-2312", "hz", "hz-gb", "cshzgb2312"]);

/** Matches names such as `iso-2022-jp-2`, `csISO2022JP` and Microsoft's `cp50220`. */
const iso2022Jp = /^(?:x-|cs|x-windows-)?iso-?2022-?jp|^(?:x-)?cp5022[012]$/;
const iso2022Kr = /^(?:x-|cs)?iso-?2022-?kr|^(?:x-)?cp50225$/;
const iso2022Cn = /^(?:x-|cs)?iso-?2022-?cn/;

/** What Python's email package and PHP write. */
const otherNames = new Map<string, string>([
  ["eucgb2312_cn", "gbk"],
  ["big5_tw", "big5"],
  ["sjis-win", "shift_jis"],
  ["eucjp-win", "euc-jp"],
  ["eucjp-ms", "euc-jp"],
]);

const esc = 0x1b;

/** Chooses a character set of two bytes. Old Japanese mailers don't encode header fields, whose bytes may be quotes. */
const jis = "\x1b$";

/**
 * The codecs of iconv-lite that we use. The others are no charsets (`hex`), have no place in emails (`utf7imap`), or
 * are slow (`utf7`).
 */
const iconvCodecs = new Set(["_sbcs", "_dbcs", "_utf32", "utf16", "utf16be", "ucs2", "utf32"]);

/** Node.js's `TextDecoder` lacks some Korean and Hong Kong characters that iconv-lite has. */
const fullerThanIcu: Record<string, string> = { "euc-kr": "cp949", big5: "big5-hkscs" };

/** Without a byte-order mark, UTF-16 is big-endian (RFC 2781, section 4.3). */
const utf16ByMark = new Set(["utf-16", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode"]);

/** Decoders of these charsets remember bytes of one slice for the next. */
const hasState = /^(?:gb|big5|euc|shift|iso-2022|utf-16)/;

export type DecodeCharset = {
  (bytes: Buffer, charset: string): string;
  /** Yields the same text in slices of at most 64 Ki characters. */
  slices: (bytes: Buffer, charset: string) => Iterable<string>;
  /** Decodes bytes of a header that aren't encoded words. */
  header: (bytes: Buffer) => string;
};

export type Codec = (bytes: Buffer) => Iterable<string>;

/** Finding a charset's decoder is slow, and a hostile email could name thousands of charsets. */
const maximumLabels = 100;

/**
 * Returns a decoder for one email, which never throws: invalid bytes become U+FFFD. If the charset is missing, unknown
 * or ASCII, we read valid UTF-8 as UTF-8, and anything else as windows-1252.
 *
 * @param declared the charsets that the email declares, for headers that aren't UTF-8
 */
export const charsetDecoder = (declared: () => Iterable<string> = () => []): DecodeCharset => {
  const codecs = new Map<string, Codec>();
  const slices = (bytes: Buffer, charset: string): Iterable<string> => {
    const label = charset
      .trim()
      .toLowerCase()
      .replace(/^'(.*)'$/, "$1");
    const known = codecs.get(label);
    if (known) return known(bytes);
    if (codecs.size === maximumLabels) return decodeUnlabelled(bytes);
    const codec = codecOf(label);
    codecs.set(label, codec);
    return codec(bytes);
  };
  const decode = (bytes: Buffer, charset: string) => join(slices(bytes, charset));
  /** Some mailers cut a header off in the middle of a character, so even UTF-8 can contain a few invalid bytes. */
  const header = (bytes: Buffer): string => {
    if (bytes.includes(jis) && isAscii(bytes)) return join(decodeJapanese(bytes));
    const text = utf8.decode(bytes);
    if (isUtf8(bytes)) return text;
    const damaged = text.split("\ufffd").length - 1;
    const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
    if (4 * damaged <= whole) return text;
    for (const charset of declared()) {
      const isLikeAscii = joinsWords(charset) && decode(Buffer.from("Aa"), charset) === "Aa";
      const declaredText = isLikeAscii ? decode(bytes, charset) : "\ufffd";
      if (!declaredText.includes("\ufffd")) return declaredText;
    }
    return damaged <= whole ? text : windows1252.decode(bytes);
  };
  return Object.assign(decode, { slices, header });
};

export const join = (slices: Iterable<string>): string => {
  let text = "";
  for (const slice of slices) text += slice;
  return text;
};

/**
 * Some mailers split a character between two encoded words, so we join adjacent words first, except in UTF-7, and in
 * UTF-16, where each word may have a byte-order mark.
 */
export const joinsWords = (charset: string): boolean =>
  !utf7Labels.has(charset.toLowerCase()) && !utf16ByMark.has(charset.toLowerCase());

const codecOf = (label: string): Codec => {
  if (label === "" || asciiLabels.has(label)) return decodeUnlabelled;
  if (utf7Labels.has(label)) return decodeUtf7;
  if (hzLabels.has(label)) return sevenBits(decodeHz, codecOf("gbk"));
  if (iso2022Jp.test(label)) return sevenBits(decodeJapanese, decodeJapanese);
  if (iso2022Kr.test(label)) return sevenBits(decodeIso2022Kr, codecOf("euc-kr"));
  if (iso2022Cn.test(label)) return sevenBits(decodeIso2022Cn, codecOf("gbk"));
  if (utf16ByMark.has(label)) return iconvCodec("utf-16", { defaultEncoding: "utf16be" });

  // Some mailers write a charset as `iso8859_15` or `euc_jp`, and Java calls many `x-`, as in `x-windows-949`.
  const usual = otherNames.get(label) ?? label.replace(/^x-/, "").replaceAll("_", "-");
  const decoder = webDecoder(label) ?? webDecoder(usual);
  if (!decoder) return isInIconv(usual) ? iconvCodec(usual) : decodeUnlabelled;
  const { encoding } = decoder;
  if (encoding === "utf-8") return decodeUtf8;
  const fuller = fullerThanIcu[encoding];
  if (fuller) return iconvCodec(fuller);
  return hasState.test(encoding) ? webCodec(encoding) : webCodecWithoutState(decoder);
};

const utf8 = new TextDecoder("utf-8");
const utf8WithMark = new TextDecoder("utf-8", { ignoreBOM: true });
const windows1252 = new TextDecoder("windows-1252");

/** A byte-order mark is removed only at the start. */
function* decodeUtf8(bytes: Buffer): Generator<string> {
  let decoder = utf8;
  for (const slice of utf8SlicesOf(bytes)) {
    yield decoder.decode(slice);
    decoder = utf8WithMark;
  }
}

const webCodecWithoutState = (decoder: InstanceType<typeof TextDecoder>): Codec =>
  function* (bytes) {
    for (const slice of slicesOf(bytes)) yield decoder.decode(slice);
  };

const webCodec = (label: string): Codec =>
  function* (bytes) {
    const decoder = new TextDecoder(label);
    for (const slice of slicesOf(bytes)) yield decoder.decode(slice, { stream: true });
    yield decoder.decode();
  };

const decodeWindows1252 = webCodecWithoutState(windows1252);
const decodeWebIso2022Jp = webCodec("iso-2022-jp");

const decodeUnlabelled: Codec = (bytes) => (isUtf8(bytes) ? decodeUtf8(bytes) : decodeWindows1252(bytes));

/** Some mailers name a charset of seven bits, and send one of eight. */
const sevenBits =
  (codec: Codec, ofEightBits: Codec): Codec =>
  (bytes) =>
    isAscii(bytes) ? codec(bytes) : isUtf8(bytes) ? decodeUtf8(bytes) : ofEightBits(bytes);

const decodeJapanese: Codec = (bytes) =>
  extendsIso2022Jp(bytes) ? decodeIso2022Jp(bytes) : decodeWebIso2022Jp(withoutOverriddenEscapes(bytes));

/** If one escape sequence directly follows another, `TextDecoder` inserts U+FFFD, so we drop the first of the two. */
const withoutOverriddenEscapes = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const isOverridden = bytes[i] === esc && bytes[i + 3] === esc && isEscape(bytes[i + 1], bytes[i + 2]);
    if (isOverridden) i += 2;
    else copy[length++] = bytes[i] ?? 0;
  }
  return copy.subarray(0, length);
};

/** Matches escape sequences that TextDecoder knows, without ESC: `(B`, `(I`, `(J`, `$@`, `$B` and `&@`. */
const isEscape = (first: number | undefined, second: number | undefined): boolean =>
  (first === 0x28 && (second === 0x42 || second === 0x49 || second === 0x4a)) ||
  (first === 0x24 && (second === 0x40 || second === 0x42)) ||
  (first === 0x26 && second === 0x40);

const webDecoder = (label: string) => {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
};

/** Compares iconv-lite's own name, because it takes `hex:1234` for `hex`, and `unicode11utf7` for `utf7`. */
const isInIconv = (label: string): boolean => {
  if (!iconv.encodingExists(label) || !iconv.encodings) return false;
  let name = iconv._canonicalizeEncoding(label as iconv.Encoding);
  for (;;) {
    const codec = iconv.encodings[name as iconv.Encoding];
    if (typeof codec !== "string") return iconvCodecs.has(name) || iconvCodecs.has(codec?.type ?? "");
    name = codec;
  }
};

const iconvCodec = (label: string, options?: iconv.DecodeOptions): Codec =>
  function* (bytes) {
    const decoder = iconv.getDecoder(label, options);
    for (const slice of slicesOf(bytes)) yield decoder.write(slice).toWellFormed();
    yield decoder.end()?.toWellFormed() ?? "";
  };
