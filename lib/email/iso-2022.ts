/** Decodes charsets of seven bits (RFC 1468, 1554, 1557, 1842 and 1922) by rewriting them as charsets of eight bits. */
import iconv from "iconv-lite";

/** `prefix` is a byte that the charset of eight bits has before each character. */
type CharacterSet = { charset: string; bytes: 1 | 2; prefix?: number };

const jisX0208 = { charset: "euc-jp", bytes: 2 } as const;
const gb2312 = { charset: "gbk", bytes: 2 } as const;
const ksC5601 = { charset: "cp949", bytes: 2 } as const;

/** What follows ESC, and the character set that it chooses. `$)` is for characters between SO and SI, `.` after ESC N. */
const escapes: Record<string, CharacterSet | undefined> = {
  "(B": undefined,
  "(J": undefined,
  "(I": { charset: "euc-jp", bytes: 1, prefix: 0x8e },
  "$@": jisX0208,
  $B: jisX0208,
  "$(D": { charset: "euc-jp", bytes: 2, prefix: 0x8f },
  $A: gb2312,
  "$)A": gb2312,
  "$(C": ksC5601,
  "$)C": ksC5601,
  ".A": { charset: "iso-8859-1", bytes: 1 },
  ".F": { charset: "iso-8859-7", bytes: 1 },
};

const [esc, so, si, lf, tilde, invalid] = [0x1b, 0x0e, 0x0f, 0x0a, 0x7e, 0xff];
const sliceBytes = 64 * 1024;

/** Collects bytes of eight bits, and decodes them together as long as their charset is the same. */
const collector = (first: string) => {
  const bytes = Buffer.allocUnsafe(sliceBytes);
  let length = 0;
  let charset = first;
  let text = "";
  const decode = (): void => {
    text += iconv.decode(bytes.subarray(0, length), charset);
    length = 0;
  };
  return {
    /** ASCII is part of all charsets, so it can be added to any. */
    add: (byte: number, next = charset): void => {
      if (next !== charset || length === sliceBytes) decode();
      charset = next;
      bytes[length++] = byte;
    },
    isFull: (): boolean => length > sliceBytes - 4 || text.length > sliceBytes,
    take: (): string => {
      decode();
      const taken = text;
      text = "";
      return taken;
    },
  };
};

const isGraphic = (byte = 0): boolean => byte > 0x20 && byte < 0x7f;

const escapeAt = (bytes: Buffer, at: number): string => {
  let end = at + 1;
  while (end < at + 3 && (bytes[end] ?? 0) >> 4 === 2) end++;
  return bytes.toString("latin1", at + 1, end + 1);
};

/** TextDecoder knows only ISO-2022-JP, which ISO-2022-JP-1 and -2 extend by more character sets. */
export const extendsIso2022Jp = (bytes: Buffer): boolean => {
  for (let at = bytes.indexOf(esc); at >= 0; at = bytes.indexOf(esc, at + 1)) {
    const sequence = escapeAt(bytes, at);
    if (sequence in escapes && (sequence.length === 3 || sequence === "$A" || sequence.startsWith("."))) return true;
  }
  return false;
};

/** @param ofShifted the character set between SO and SI if the text doesn't choose any */
const iso2022Codec = (ofShifted?: CharacterSet) =>
  function* (bytes: Buffer): Generator<string> {
    const output = collector(ofShifted?.charset ?? "euc-jp");
    let plain: CharacterSet | undefined;
    let shifted = ofShifted;
    let single: CharacterSet | undefined;
    let isShifted = false;
    let at = 0;
    const addCharacter = ({ charset, bytes: width, prefix }: CharacterSet): void => {
      const isWhole = width === 1 || isGraphic(bytes[at + 1]);
      if (!isWhole) output.add(invalid, charset);
      else if (prefix) output.add(prefix, charset);
      if (isWhole) for (let i = 0; i < width; i++) output.add((bytes[at + i] ?? 0) | 0x80, charset);
      at += isWhole ? width : 1;
    };
    while (at < bytes.length) {
      if (output.isFull()) yield output.take();
      const byte = bytes[at] ?? 0;
      const set = isShifted ? shifted : plain;
      if (byte === esc) {
        const sequence = escapeAt(bytes, at);
        at += 1 + sequence.length;
        if (sequence === "N") single && isGraphic(bytes[at]) && addCharacter(single);
        else if (sequence.startsWith("$)")) shifted = escapes[sequence];
        else if (sequence.startsWith(".")) single = escapes[sequence];
        else if (sequence in escapes) plain = escapes[sequence];
      } else if (byte === so || byte === si) {
        isShifted = byte === so;
        at++;
      } else if (set && isGraphic(byte)) {
        addCharacter(set);
      } else {
        if (byte === lf) isShifted = false;
        output.add(byte);
        at++;
      }
    }
    yield output.take();
  };

export const decodeIso2022Jp = iso2022Codec();
export const decodeIso2022Kr = iso2022Codec(ksC5601);
export const decodeIso2022Cn = iso2022Codec(gb2312);

/** In HZ (RFC 1843), `~{` and `~}` enclose Chinese, `~~` is a tilde, and a `~` before a line break joins two lines. */
export function* decodeHz(bytes: Buffer): Generator<string> {
  const output = collector("gbk");
  let isChinese = false;
  for (let at = 0; at < bytes.length; at++) {
    if (output.isFull()) yield output.take();
    const byte = bytes[at] ?? 0;
    const next = bytes[at + 1];
    if (byte === tilde && (next === 0x7b || next === 0x7d || next === lf)) {
      isChinese = next === 0x7b;
      at++;
    } else if (byte === tilde && next === tilde && !isChinese) {
      output.add(tilde);
      at++;
    } else if (isChinese && isGraphic(byte) && isGraphic(next)) {
      output.add(byte | 0x80);
      output.add((bytes[++at] ?? 0) | 0x80);
    } else {
      if (byte === lf) isChinese = false;
      output.add(isChinese && isGraphic(byte) ? invalid : byte);
    }
  }
  yield output.take();
}
