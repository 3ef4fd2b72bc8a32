/** Decodes UTF-7, which writes UTF-16 as base64 after a `+`, usually up to a `-` (RFC 2152). */
import { base64Digits } from "./base64.ts";
import { slicesOf } from "./slices.ts";

const [plus, minus] = [0x2b, 0x2d];

export function* decodeUtf7(bytes: Buffer): Generator<string> {
  const decoder = new TextDecoder("utf-16le", { ignoreBOM: true });
  let isShifted = false;
  let isEmpty = false;
  let bits = 0;
  let count = 0;
  for (const slice of slicesOf(bytes)) {
    const units = new Uint16Array(slice.length);
    let length = 0;
    for (const byte of slice) {
      const digit = base64Digits[byte] ?? -1;
      if (isShifted && digit >= 0) {
        bits = ((bits << 6) | digit) & 0x3fffff;
        count += 6;
        isEmpty = false;
        if (count >= 16) {
          count -= 16;
          units[length++] = bits >> count;
        }
      } else if (isShifted && byte === minus) {
        if (isEmpty) units[length++] = plus;
        isShifted = false;
      } else if (byte === plus) {
        isShifted = true;
        isEmpty = true;
        count = 0;
      } else {
        units[length++] = byte;
        isShifted = false;
      }
    }
    yield decoder.decode(units.subarray(0, length), { stream: true });
  }
  yield decoder.decode();
}
