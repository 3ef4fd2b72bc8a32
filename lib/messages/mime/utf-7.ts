/** UTF-7, which neither the platform nor iconv-lite decodes well. */

const base64Value = new Int8Array(256).fill(-1);
for (const [value, digit] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries()) {
  base64Value[digit.charCodeAt(0)] = value;
}

const plus = 0x2b;
const minus = 0x2d;

/** RFC 2152: between `+` and `-`, or whatever is no base64, stands UTF-16 in base64; `+-` is a plus sign. */
export const decodeUtf7 = (bytes: Uint8Array): string => {
  const text = Buffer.allocUnsafe(bytes.length * 2);
  let length = 0;
  let shiftedAt = -1;
  let pending = 0;
  let bits = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    const value = base64Value[byte] as number;
    if (shiftedAt >= 0 && value >= 0) {
      pending = (pending << 6) | value;
      bits += 6;
      if (bits < 16) continue;
      bits -= 16;
      length = text.writeUInt16LE(pending >> bits, length);
      pending &= (1 << bits) - 1;
    } else if (shiftedAt < 0 && byte === plus) {
      shiftedAt = i;
      pending = 0;
      bits = 0;
    } else {
      const isPlusSign = byte === minus && shiftedAt === i - 1 && shiftedAt >= 0;
      const isShiftBack = byte === minus && shiftedAt >= 0;
      if (isPlusSign) length = text.writeUInt16LE(plus, length);
      else if (!isShiftBack) length = text.writeUInt16LE(byte, length);
      shiftedAt = -1;
    }
  }
  return text.toString("utf16le", 0, length);
};
