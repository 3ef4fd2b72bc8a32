/** Converts bytes to Unicode, in any charset of an email. */
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { decodeUtf7 } from "./utf-7.ts";

const asciiLabels = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6", "csascii"]);
const utf7Labels = new Set(["utf-7", "utf7", "csutf7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7"]);

/** `iso-2022-jp-2`, `csISO2022JP`, and Microsoft's three labels for ISO-2022-JP. */
const iso2022Jp = /^(?:x-|cs)?iso-?2022-?jp|^(?:x-)?cp5022[012]$/;

/** An escape sequence of ISO-2022-JP directly before another one. `ESC & @` announces another one. */
const esc = "\x1b";
const overriddenEscape = new RegExp(String.raw`${esc}(?:\([BIJ]|\$[@B]|&@)(?=${esc})`, "g");

/** Encodings of iconv-lite that are not charsets, or that take microseconds per byte. */
const notCharsets = new Set(["binary", "base64", "hex", "cesu8", "utf7", "utf7imap"]);

/** ICU's tables lack the Windows extension of EUC-KR and the HKSCS characters of Big5. Emails contain both. */
const fullerThanIcu: Record<string, string> = { "euc-kr": "cp949", big5: "big5-hkscs" };

/** The byte-order mark decides. Text without a byte-order mark is big-endian (RFC 2781, section 4.3). */
const utf16ByMark = new Set(["utf-16", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode"]);

export type DecodeCharset = (bytes: Buffer, charset: string) => string;

type Codec = (bytes: Buffer) => string;

/** Emails name few charsets. Looking up an unknown charset takes 10 µs. */
const maximumLabels = 100;

/**
 * Returns the decoder for one email. The decoder removes a leading byte-order mark. Invalid bytes and half a surrogate
 * pair become U+FFFD. Never throws.
 *
 * If the charset is missing, unknown or ASCII, the text is UTF-8 if its bytes are valid UTF-8, otherwise windows-1252.
 * An email's charsets after the first 100 count as unknown.
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

/** Returns whether encoded words may be joined before decoding. In UTF-7, the `+` of the next word may be base64. */
export const joinsWords = (charset: string): boolean => !utf7Labels.has(charset.toLowerCase());

const codecOf = (label: string): Codec => {
  if (label === "" || asciiLabels.has(label)) return decodeUnlabelled;
  if (utf7Labels.has(label)) return decodeUtf7;
  if (iso2022Jp.test(label)) return decodeIso2022Jp;
  if (utf16ByMark.has(label)) return iconvCodec("utf-16", { defaultEncoding: "utf-16be" });

  // Some mailers write `iso8859_15` or `euc_jp`.
  const decoder = webDecoder(label) ?? (label.includes("_") && webDecoder(label.replaceAll("_", "-")));
  if (!decoder) return isInIconv(label) ? iconvCodec(label) : decodeUnlabelled;
  const fuller = fullerThanIcu[decoder.encoding];
  return fuller ? iconvCodec(fuller) : (bytes) => decoder.decode(bytes);
};

const utf8 = new TextDecoder("utf-8");
const windows1252 = new TextDecoder("windows-1252");
const iso2022JpDecoder = new TextDecoder("iso-2022-jp");

const decodeUnlabelled = (bytes: Buffer): string =>
  isUtf8(bytes) ? utf8.decode(bytes) : windows1252.decode(bytes);

/**
 * Decodes 8-bit bytes of a header as UTF-8 if most of them are valid UTF-8, otherwise as windows-1252. Some mailers cut
 * headers inside a UTF-8 character. Such a character becomes U+FFFD.
 */
export const decodeHeaderBytes = (bytes: Buffer): string => {
  const text = utf8.decode(bytes);
  const damaged = text.split("\ufffd").length - 1;
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return isUtf8(bytes) || damaged <= whole ? text : windows1252.decode(bytes);
};

/**
 * Decodes ISO-2022-JP as browsers do. 8-bit text with this label is UTF-8. Joined encoded words contain two escape
 * sequences in a row, and the platform's decoder would insert U+FFFD between them.
 */
const decodeIso2022Jp = (bytes: Buffer): string => {
  if (isUtf8(bytes) && !isAscii(bytes)) return utf8.decode(bytes);
  return iso2022JpDecoder.decode(
    Buffer.from(bytes.toString("latin1").replace(overriddenEscape, ""), "latin1"),
  );
};

/** Returns undefined if the platform or iconv-lite does not know a label. */
const attempt = <T>(open: () => T): T | undefined => {
  try {
    return open();
  } catch {
    return undefined;
  }
};

const webDecoder = (label: string) => attempt(() => new TextDecoder(label));

/** iconv-lite knows `cp437` and many spellings. It throws on the label `constructor`. */
const isInIconv = (label: string): boolean =>
  !notCharsets.has(label.replace(/[^0-9a-z]/g, "")) && attempt(() => iconv.getDecoder(label)) !== undefined;

const iconvCodec =
  (label: string, options?: iconv.Options): Codec =>
  (bytes) =>
    iconv.decode(bytes, label, options);
