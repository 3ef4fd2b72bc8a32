/** Decodes text in any charset that occurs in emails. */
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";

const asciiLabels = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6", "csascii"]);
const utf7Labels = new Set(["utf-7", "utf7", "csutf7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7"]);

/** Matches names such as `iso-2022-jp-2`, `csISO2022JP` and Microsoft's `cp50220`. */
const iso2022Jp = /^(?:x-|cs)?iso-?2022-?jp|^(?:x-)?cp5022[012]$/;

const esc = "\x1b";
const overriddenEscape = new RegExp(String.raw`${esc}(?:\([BIJ]|\$[@B]|&@)(?=${esc})`, "g");

/** iconv-lite accepts even names such as `hex`, which are no charsets, and its UTF-7 decoder is slow. */
const notCharsets = new Set(["binary", "base64", "hex", "cesu8", "utf7", "utf7imap"]);

/** Node.js's `TextDecoder` lacks some Korean and Hong Kong characters that iconv-lite has. */
const fullerThanIcu: Record<string, string> = { "euc-kr": "cp949", big5: "big5-hkscs" };

/** Without a byte-order mark, UTF-16 is big-endian (RFC 2781, section 4.3). */
const utf16ByMark = new Set(["utf-16", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode"]);

export type DecodeCharset = (bytes: Buffer, charset: string) => string;

type Codec = (bytes: Buffer) => string;

/** Finding a charset's decoder is slow, and a hostile email could name thousands of charsets. */
const maximumLabels = 100;

/**
 * Returns a decoder for one email, which never throws: invalid bytes become U+FFFD. If the charset is missing, unknown
 * or ASCII, we read valid UTF-8 as UTF-8, and anything else as windows-1252.
 */
export const charsetDecoder = (): DecodeCharset => {
  const codecs = new Map<string, Codec>();
  return (bytes, charset) => {
    const label = charset.trim().toLowerCase();
    const known = codecs.get(label);
    if (known) return known(bytes).toWellFormed();
    if (codecs.size === maximumLabels) return decodeUnlabelled(bytes);
    const codec = codecOf(label);
    codecs.set(label, codec);
    return codec(bytes).toWellFormed();
  };
};

/** Some mailers split a character between two encoded words, so we join adjacent words first, except in UTF-7. */
export const joinsWords = (charset: string): boolean => !utf7Labels.has(charset.toLowerCase());

const codecOf = (label: string): Codec => {
  if (label === "" || asciiLabels.has(label)) return decodeUnlabelled;
  if (utf7Labels.has(label)) return decodeUtf7;
  if (iso2022Jp.test(label)) return decodeIso2022Jp;
  if (utf16ByMark.has(label)) return iconvCodec("utf-16", { defaultEncoding: "utf16be" });

  // Some mailers write a charset as `iso8859_15` or `euc_jp`.
  const decoder = webDecoder(label) ?? (label.includes("_") && webDecoder(label.replaceAll("_", "-")));
  if (!decoder) return isInIconv(label) ? iconvCodec(label) : decodeUnlabelled;
  const fuller = fullerThanIcu[decoder.encoding];
  return fuller ? iconvCodec(fuller) : (bytes) => decoder.decode(bytes);
};

const utf8 = new TextDecoder("utf-8");
const windows1252 = new TextDecoder("windows-1252");
const iso2022JpDecoder = new TextDecoder("iso-2022-jp");

const decodeUnlabelled = (bytes: Buffer): string => (isUtf8(bytes) ? utf8.decode(bytes) : windows1252.decode(bytes));

/** Some mailers cut a header off in the middle of a character, so even UTF-8 can contain a few invalid bytes. */
export const decodeHeaderBytes = (bytes: Buffer): string => {
  const text = utf8.decode(bytes);
  const damaged = text.split("\ufffd").length - 1;
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return isUtf8(bytes) || damaged <= whole ? text : windows1252.decode(bytes);
};

/** UTF-7 writes UTF-16 as base64 after a `+`, usually up to a `-` (RFC 2152). */
const shifted = /\+([A-Za-z0-9+/]*)(-?)/g;

const decodeUtf7 = (bytes: Buffer): string =>
  bytes.toString("latin1").replace(shifted, (_, base64: string, end: string) => {
    if (base64 === "") return end && "+";
    const units = Buffer.from(base64, "base64");
    const whole = units.subarray(0, units.length & ~1);
    return whole.swap16().toString("utf16le");
  });

/** If one escape sequence directly follows another, `TextDecoder` inserts U+FFFD, so we drop the first of the two. */
const decodeIso2022Jp = (bytes: Buffer): string => {
  if (isUtf8(bytes) && !isAscii(bytes)) return utf8.decode(bytes);
  return iso2022JpDecoder.decode(Buffer.from(bytes.toString("latin1").replace(overriddenEscape, ""), "latin1"));
};

const webDecoder = (label: string) => {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
};

const isInIconv = (label: string): boolean =>
  !notCharsets.has(label.replace(/[^0-9a-z]/g, "")) && iconv.encodingExists(label);

const iconvCodec =
  (label: string, options?: iconv.DecodeOptions): Codec =>
  (bytes) =>
    iconv.decode(bytes, label, options);
