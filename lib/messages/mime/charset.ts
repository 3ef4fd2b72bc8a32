/** Bytes to Unicode, in whatever charset an email names. */
import { isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { decodeUtf7, withoutShifts } from "./seven-bit.ts";

const utf7Labels = new Set(["utf-7", "utf7", "csutf7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7"]);
const asciiLabels = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "iso-ir-6", "csascii"]);

/** Encodings of iconv-lite that are no charsets of text, or take it microseconds a byte. */
const notCharsets = new Set(["binary", "base64", "hex", "cesu8", "utf7", "utf7imap"]);

/** Where ICU's table falls short of what mail holds: Korean lacks the Windows extension, Big5 lacks HKSCS. */
const fullerThanIcu: Record<string, string> = { "euc-kr": "cp949", big5: "big5-hkscs" };

/** RFC 2781, section 4.3: the byte-order mark decides; without one the text is big-endian. */
const utf16ByMark = new Set(["utf-16", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode"]);

/**
 * Decodes `bytes`. A leading byte-order mark belongs to the encoding, not to the text, and is dropped.
 * Bytes that the named charset can't hold become U+FFFD.
 *
 * A charset that is unknown or not named, or ASCII with 8-bit bytes, is UTF-8 where the bytes are valid
 * UTF-8, else windows-1252. Never throws.
 */
export const decodeCharset = (bytes: Uint8Array, charset: string): string => {
  const label = charset.trim().toLowerCase();
  if (label === "" || asciiLabels.has(label)) return decodeUnlabelled(bytes);
  if (utf7Labels.has(label)) return decodeUtf7(bytes);
  if (label === "iso-2022-kr") return iconv.decode(withoutShifts(bytes), "cp949");
  if (utf16ByMark.has(label))
    return iconv.decode(Buffer.from(bytes), "utf-16", { defaultEncoding: "utf-16be" });

  // `iso8859_15`, `euc_jp`
  const decoder = webDecoder(label) ?? (label.includes("_") && webDecoder(label.replaceAll("_", "-")));
  if (decoder && !fullerThanIcu[decoder.encoding]) return decoder.decode(bytes);
  return decodeIconv(bytes, decoder ? fullerThanIcu[decoder.encoding] : label) ?? decodeUnlabelled(bytes);
};

const utf8 = new TextDecoder("utf-8");
const windows1252 = new TextDecoder("windows-1252");

const decodeUnlabelled = (bytes: Uint8Array): string =>
  isUtf8(bytes) ? utf8.decode(bytes) : windows1252.decode(bytes);

const webDecoder = (label: string) => {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
};

/** iconv-lite knows `cp437`, `utf-32` and many spellings. It takes `constructor` for one, and fails. */
const decodeIconv = (bytes: Uint8Array, label = ""): string | undefined => {
  // iconv-lite looks labels up like this.
  if (notCharsets.has(label.replace(/[^0-9a-z]/g, ""))) return undefined;
  try {
    return iconv.decode(Buffer.from(bytes), label);
  } catch {
    return undefined;
  }
};
