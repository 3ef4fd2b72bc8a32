/** Bytes to Unicode, in whatever charset an email names. */
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { decodeUtf7 } from "./utf-7.ts";

const asciiLabels = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6", "csascii"]);
const utf7Labels = new Set(["utf-7", "utf7", "csutf7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7"]);

/** `iso-2022-jp-2`, `csISO2022JP`, and Microsoft's three labels for ISO-2022-JP. */
const iso2022Jp = /^(?:x-|cs)?iso-?2022-?jp|^(?:x-)?cp5022[012]$/;

/** An escape sequence of ISO-2022-JP, directly before the next one. `ESC & @` announces the next one. */
const esc = "\x1b";
const overriddenEscape = new RegExp(String.raw`${esc}(?:\([BIJ]|\$[@B]|&@)(?=${esc})`, "g");

/** Encodings of iconv-lite that are no charsets of text, or take it microseconds a byte. */
const notCharsets = new Set(["binary", "base64", "hex", "cesu8", "utf7", "utf7imap"]);

/** Where ICU's table falls short of what mail holds: Korean lacks the Windows extension, Big5 lacks HKSCS. */
const fullerThanIcu: Record<string, string> = { "euc-kr": "cp949", big5: "big5-hkscs" };

/** RFC 2781, section 4.3: the byte-order mark decides; without one the text is big-endian. */
const utf16ByMark = new Set(["utf-16", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode"]);

/** Turns bytes into the text that they are in some charset. */
export type DecodeCharset = (bytes: Buffer, charset: string) => string;

type Codec = (bytes: Buffer) => string;

/** An email names a handful; to look for one that nobody knows takes 10 µs. */
const maximumLabels = 100;

/**
 * Returns what decodes the charsets of one email. A leading byte-order mark belongs to the encoding, not to
 * the text, and is dropped. Bytes that the named charset can't hold become U+FFFD; so does half a surrogate
 * pair: all text is well-formed.
 *
 * A charset that is unknown or not named, or ASCII with 8-bit bytes, is UTF-8 where the bytes are valid
 * UTF-8, else windows-1252; so are those past the first 100 that an email names. Never throws.
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

/**
 * False where each encoded word stands for itself: two in UTF-7 can't be joined, as a word may end inside its
 * base64 and the `+` that starts the next is a digit of base64.
 */
export const joinsWords = (charset: string): boolean => !utf7Labels.has(charset.toLowerCase());

const codecOf = (label: string): Codec => {
  if (label === "" || asciiLabels.has(label)) return decodeUnlabelled;
  if (utf7Labels.has(label)) return decodeUtf7;
  if (iso2022Jp.test(label)) return decodeIso2022Jp;
  if (utf16ByMark.has(label)) return iconvCodec("utf-16", { defaultEncoding: "utf-16be" });

  // `iso8859_15`, `euc_jp`
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
 * Decodes 8-bit bytes of a header, which have no charset: as UTF-8 if most of them are, otherwise as windows-1252.
 * Mailers cut UTF-8 headers to a number of bytes, and so inside a character. That character becomes U+FFFD.
 */
export const decodeHeaderBytes = (bytes: Buffer): string => {
  const text = utf8.decode(bytes);
  const damaged = text.split("\ufffd").length - 1;
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return isUtf8(bytes) || damaged <= whole ? text : windows1252.decode(bytes);
};

/**
 * Decodes ISO-2022-JP as browsers do. 8-bit text with this label is UTF-8. If two escape sequences follow each other,
 * only the last counts: the decoder would put U+FFFD between them, and joined encoded words have them.
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

/** iconv-lite knows `cp437` and many spellings. It takes `constructor` for one, and fails. */
const isInIconv = (label: string): boolean =>
  !notCharsets.has(label.replace(/[^0-9a-z]/g, "")) && attempt(() => iconv.getDecoder(label)) !== undefined;

const iconvCodec =
  (label: string, options?: iconv.Options): Codec =>
  (bytes) =>
    iconv.decode(bytes, label, options);
