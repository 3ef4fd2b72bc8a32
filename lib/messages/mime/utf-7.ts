/** Decodes UTF-7 (RFC 2152), because TextDecoder and iconv-lite do not decode UTF-7 well. */

/** Matches UTF-16 in base64, which starts at `+` and ends at `-` or at the first character outside base64. */
const shifted = /\+([A-Za-z0-9+/]*)(-?)/g;

export const decodeUtf7 = (bytes: Buffer): string =>
  bytes.toString("latin1").replace(shifted, (_, base64: string, end: string) => {
    if (base64 === "") return end && "+";
    const units = Buffer.from(base64, "base64");
    return units
      .subarray(0, units.length & ~1)
      .swap16()
      .toString("utf16le");
  });
