/**
 * Decodes the base64 values of DynamoDB's responses where they are. The SDK would make two strings of each value, which
 * is most of the work for a large message. Instead, we overwrite the text with its bytes before the SDK parses the
 * response, and leave a placeholder such as `#0`; for that, the SDK asks `base64Decoder`, which has the bytes.
 *
 *   {"Items":[{"bytes":{"B":"KLUv/WQ…"},"sk":…   ── for the SDK ──▶   {"Items":[{"bytes":{"B":"#0"},"sk":…
 */
import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { streamCollector } from "@smithy/core/serde";

/** What comes before a base64 value. Text inside a string can't look like this: JSON escapes its quotes as `\"`. */
const opening = '{"B":"';

/** Base64 has no `#`, so no value looks like a placeholder. */
const placeholderStart = "#";

const padding = "=".charCodeAt(0);

/** V8 frees strings of 64 Ki characters in a minor garbage collection, which is cheap. */
const pieceCharacters = 64 * 1024;

/**
 * The bytes are shorter than their text, so writing never overtakes reading.
 *
 * @throws TypeError if the text is not base64. Node.js would skip invalid characters, and return fewer bytes
 */
const decodeInPlace = (response: Buffer, start: number, end: number): Uint8Array => {
  let unpadded = end;
  while (response[unpadded - 1] === padding) unpadded--;
  let written = start;
  for (let from = start; from < end; from += pieceCharacters) {
    const piece = response.toString("latin1", from, Math.min(from + pieceCharacters, end));
    written += response.write(piece, written, "base64");
  }
  if (written - start !== ((end - start) / 4) * 3 - (end - unpadded)) {
    throw new TypeError("DynamoDB returned a binary value that is not base64");
  }
  return response.subarray(start, written);
};

/** Options for a DynamoDB client. */
export const inPlaceBase64 = (): Pick<DynamoDBClientConfig, "streamCollector" | "base64Decoder"> => {
  const decoded = new Map<string, Uint8Array>();
  let count = 0;
  return {
    streamCollector: async (stream) => {
      const { buffer, byteOffset, byteLength } = await streamCollector(stream);
      const response = Buffer.from(buffer, byteOffset, byteLength);
      const found = new Map<string, Uint8Array>();
      const pieces: Uint8Array[] = [];
      let rest = 0;
      for (let at = response.indexOf(opening); at >= 0; at = response.indexOf(opening, rest)) {
        const start = at + opening.length;
        const end = response.indexOf('"', start);
        if (end < 0) break; // not JSON, so the SDK will throw
        const name = `${placeholderStart}${count++}`;
        found.set(name, decodeInPlace(response, start, end));
        pieces.push(response.subarray(rest, start), Buffer.from(name));
        rest = end;
      }
      for (const [name, bytes] of found) decoded.set(name, bytes);
      // One turn of the event loop later, the SDK has parsed the response, and the bytes can go.
      setImmediate(() => {
        for (const name of found.keys()) decoded.delete(name);
      });
      return Buffer.concat([...pieces, response.subarray(rest)]);
    },
    base64Decoder: (text) => {
      if (!text.startsWith(placeholderStart)) return Buffer.from(text, "base64");
      const bytes = decoded.get(text);
      if (!bytes) throw new Error("A binary value was read after its response was parsed");
      return bytes;
    },
  };
};
