/** ISO-2022-JP, -KR and -CN: East Asian text in 7 bits, where escape sequences say what the bytes stand for. */
import iconv from "iconv-lite";

/** What the bytes 0x21 to 0x7E stand for: one by one, or as pairs, the row and the column of a grid. */
type CharacterSet = { isGrid: boolean; units: Uint16Array };

const first = 0x21;
const last = 0x7e;
const side = last - first + 1;
const highBit = 0x80;
const replacement = 0xfffd;

const single = (unit: (byte: number) => number) => (): CharacterSet => ({
  isGrid: false,
  units: Uint16Array.from({ length: side }, (_, i) => unit(first + i)),
});

/** The grid is the upper half of an EUC charset, each pair of bytes after `lead`. */
const grid =
  (decode: (bytes: Buffer) => string, ...lead: number[]) =>
  (): CharacterSet => ({
    isGrid: true,
    units: Uint16Array.from({ length: side * side }, (_, i) => {
      const row = highBit + first + Math.floor(i / side);
      const character = decode(Buffer.of(...lead, row, highBit + first + (i % side)));
      return character.length === 1 ? character.charCodeAt(0) : replacement;
    }),
  });

const decodeWith = (label: string) => {
  const decoder = new TextDecoder(label);
  return (bytes: Uint8Array) => decoder.decode(bytes);
};

const eucJp = decodeWith("euc-jp");
const greek = decodeWith("iso-8859-7");

const builders = {
  ascii: single((byte) => byte),
  roman: single((byte) => (byte === 0x5c ? 0xa5 : byte === 0x7e ? 0x203e : byte)), // yen sign, overline
  kana: single((byte) => (byte <= 0x5f ? byte + 0xff40 : replacement)),
  latin1: single((byte) => byte | highBit),
  greek: single((byte) => greek(Buffer.of(byte | highBit)).charCodeAt(0)),
  japanese: grid(eucJp),
  japaneseSupplement: grid(eucJp, 0x8f),
  chinese: grid(decodeWith("gbk")),
  korean: grid((bytes) => iconv.decode(bytes, "cp949")), // ICU's table lacks the euro sign
};

type SetName = keyof typeof builders;

const built = new Map<SetName, CharacterSet>();

/** A grid takes milliseconds to build: not before an email needs it, and once. */
const characterSet = (name: SetName): CharacterSet => {
  const set = built.get(name) ?? builders[name]();
  built.set(name, set);
  return set;
};

/**
 * The escape sequences, without their ESC, that put a set in one of the places G0, G1 and G2: RFC 1468 (JP),
 * 2237 (JP-1), 1554 (JP-2), 1557 (KR), 1922 (CN). JIS X 0213 (JP-3) is read as the JIS X 0208 that it extends.
 */
const designations: Record<string, [place: 0 | 1 | 2, SetName]> = {
  "(B": [0, "ascii"],
  "(J": [0, "roman"],
  "(H": [0, "roman"],
  "(I": [0, "kana"],
  "&@": [0, "japanese"], // announces that "$B" follows
  "$@": [0, "japanese"],
  $B: [0, "japanese"],
  "$(@": [0, "japanese"],
  "$(B": [0, "japanese"],
  "$(O": [0, "japanese"],
  "$(Q": [0, "japanese"],
  "$(D": [0, "japaneseSupplement"],
  $A: [0, "chinese"],
  "$(A": [0, "chinese"],
  "$(C": [0, "korean"],
  ")I": [1, "kana"],
  "$)A": [1, "chinese"],
  "$)C": [1, "korean"],
  ".A": [2, "latin1"],
  ".F": [2, "greek"],
};

const bySequence = new Map(
  Object.entries(designations).map(([sequence, [place, name]]) => [
    Buffer.from(sequence).readUIntBE(0, sequence.length),
    { place, name, length: sequence.length },
  ]),
);

/** Numbers, as strings would cost more than all the rest where every third byte is an escape. */
const designationAt = (bytes: Uint8Array, at: number) => {
  const [a = 0, b = 0, c = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  return bySequence.get((a << 16) | (b << 8) | c) ?? bySequence.get((a << 8) | b);
};

const escapeCode = 0x1b;
const lf = 0x0a;
const shiftOut = 0x0e;
const shiftIn = 0x0f;
const singleShift = 0x4e;

/**
 * Decodes any of them; 8-bit bytes are those of the EUC charset of the same language, as which real mail has
 * them. What stands for nothing becomes U+FFFD. Linear in time.
 */
export const decodeIso2022 = (bytes: Uint8Array, label: string): string => {
  const ascii = characterSet("ascii");
  const language = label.includes("kr") ? "korean" : label.includes("cn") ? "chinese" : "japanese";
  const places = [ascii, characterSet(language === "japanese" ? "kana" : language), characterSet("latin1")];
  const euc = characterSet(language);
  let shift = 0;
  const text = new Uint16Array(bytes.length);
  let length = 0;

  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] as number;
    let place = shift;
    if (byte === escapeCode) {
      const designation = designationAt(bytes, at + 1);
      if (designation) {
        places[designation.place] = characterSet(designation.name);
        at += designation.length;
        continue;
      }
      if (bytes[at + 1] === singleShift) {
        at += 2;
        byte = bytes[at] ?? 0;
        place = 2;
      }
    }

    const row = (byte & ~highBit) - first;
    if (row < 0 || row >= side) {
      if (byte === shiftOut) shift = 1;
      else if (byte === shiftIn) shift = 0;
      else text[length++] = byte < highBit && byte !== escapeCode ? byte : replacement;
      // Every line starts anew (RFC 1468): one damaged line does not garble the rest.
      if (byte === lf) {
        places[0] = ascii;
        shift = 0;
      }
      continue;
    }

    const set = byte < highBit ? (places[place] ?? ascii) : euc;
    if (set.isGrid) {
      const column = ((bytes[at + 1] ?? 0) ^ (byte & highBit)) - first;
      const isPair = column >= 0 && column < side;
      text[length++] = isPair ? (set.units[row * side + column] as number) : replacement;
      if (isPair) at++;
    } else {
      text[length++] = set.units[row] as number;
    }
  }
  return Buffer.from(text.buffer, 0, 2 * length).toString("utf16le");
};
