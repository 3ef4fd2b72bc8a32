/** Decodes charsets of seven bits that TextDecoder lacks (RFC 1554, 1557, 1843 and 1922). */

/** A character set of 94 characters (`width` 1) or 94 × 94 (`width` 2). */
type CharacterSet = { width: 1 | 2; unitOf: (first: number, second: number) => number };

const [firstGraphic, lastGraphic, size] = [0x21, 0x7e, 94];
const replacement = 0xfffd;

/**
 * Takes the characters from a charset of eight bits that TextDecoder knows, but all of them at once and only once: text
 * can change its character set with every character. `prefix` is a byte that stands before each character there.
 */
const characterSet = (charset: string, width: 1 | 2, prefix: number[] = []): CharacterSet => {
  let units = "";
  const load = (): string => {
    const bytes: number[] = [];
    for (let first = firstGraphic; first <= lastGraphic; first++) {
      if (width === 1) bytes.push(...prefix, first | 0x80, 0x0a);
      else
        for (let second = firstGraphic; second <= lastGraphic; second++)
          bytes.push(...prefix, first | 0x80, second | 0x80, 0x0a);
    }
    const characters = new TextDecoder(charset).decode(Buffer.from(bytes)).split("\n");
    return characters.map((character) => (character.length === 1 ? character : "\ufffd")).join("");
  };
  return {
    width,
    unitOf: (first, second) => {
      units ||= load();
      const index = width === 1 ? first - firstGraphic : (first - firstGraphic) * size + second - firstGraphic;
      return units.charCodeAt(index);
    },
  };
};

const jisX0208 = characterSet("euc-jp", 2);
const gb2312 = characterSet("gbk", 2);
const ksC5601 = characterSet("euc-kr", 2);

/** What follows ESC, and the character set that it chooses. `$)` is for characters between SO and SI, `.` after ESC N. */
const escapes: Record<string, CharacterSet | undefined> = {
  "(B": undefined,
  "(J": undefined,
  "(I": characterSet("euc-jp", 1, [0x8e]),
  "$@": jisX0208,
  $B: jisX0208,
  "$(D": characterSet("euc-jp", 2, [0x8f]),
  $A: gb2312,
  "$)A": gb2312,
  "$(C": ksC5601,
  "$)C": ksC5601,
  ".A": characterSet("iso-8859-1", 1),
  ".F": characterSet("iso-8859-7", 1),
};

const [esc, so, si, lf, tilde] = [0x1b, 0x0e, 0x0f, 0x0a, 0x7e];
const sliceUnits = 64 * 1024;

const collector = () => {
  const units = Buffer.allocUnsafe(2 * sliceUnits);
  let length = 0;
  return {
    add: (unit: number): void => {
      length = units.writeUInt16LE(unit, length);
    },
    isFull: (): boolean => length === units.length,
    take: (): string => {
      const text = units.toString("utf16le", 0, length);
      length = 0;
      return text;
    },
  };
};

const isGraphic = (byte = 0): boolean => byte >= firstGraphic && byte <= lastGraphic;

/** Characters of eight bits don't occur in these charsets. */
const plainUnit = (byte: number): number => (byte < 0x80 ? byte : replacement);

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
    const output = collector();
    let [plain, shifted, single]: (CharacterSet | undefined)[] = [undefined, ofShifted];
    let isShifted = false;
    let at = 0;
    while (at < bytes.length) {
      if (output.isFull()) yield output.take();
      let byte = bytes[at++] ?? 0;
      let set = isShifted ? shifted : plain;
      if (byte === esc) {
        const sequence = escapeAt(bytes, at - 1);
        at += sequence.length;
        if (sequence.startsWith("$)")) shifted = escapes[sequence];
        else if (sequence.startsWith(".")) single = escapes[sequence];
        else if (sequence in escapes) plain = escapes[sequence];
        if (sequence !== "N" || !single || !isGraphic(bytes[at])) continue;
        set = single;
        byte = bytes[at++] ?? 0;
      }
      if (byte === so || byte === si) {
        isShifted = byte === so;
      } else if (set && isGraphic(byte)) {
        const isWhole = set.width === 1 || isGraphic(bytes[at]);
        output.add(isWhole ? set.unitOf(byte, bytes[at] ?? 0) : replacement);
        if (isWhole) at += set.width - 1;
      } else {
        if (byte === lf) isShifted = false;
        output.add(plainUnit(byte));
      }
    }
    yield output.take();
  };

export const decodeIso2022Jp = iso2022Codec();
export const decodeIso2022Kr = iso2022Codec(ksC5601);
export const decodeIso2022Cn = iso2022Codec(gb2312);

/** In HZ (RFC 1843), `~{` and `~}` enclose Chinese, `~~` is a tilde, and a `~` before a line break joins two lines. */
export function* decodeHz(bytes: Buffer): Generator<string> {
  const output = collector();
  let isChinese = false;
  for (let at = 0; at < bytes.length; at++) {
    if (output.isFull()) yield output.take();
    const byte = bytes[at] ?? 0;
    const next = bytes[at + 1] ?? 0;
    if (byte === tilde && (next === 0x7b || next === 0x7d || next === lf)) {
      isChinese = next === 0x7b;
      at++;
    } else if (byte === tilde && next === tilde && !isChinese) {
      output.add(tilde);
      at++;
    } else if (isChinese && isGraphic(byte)) {
      output.add(isGraphic(next) ? gb2312.unitOf(byte, next) : replacement);
      if (isGraphic(next)) at++;
    } else {
      if (byte === lf) isChinese = false;
      output.add(plainUnit(byte));
    }
  }
  yield output.take();
}
