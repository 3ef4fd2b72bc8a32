/**
 * Decodes the base64 values of DynamoDB's responses. The SDK's own decoder is slower, because it creates two strings
 * for each base64 value. `inPlaceBase64` overwrites the base64 text with the decoded bytes. For 5 MiB, `inPlaceBase64`
 * needs about half the processor time of the SDK's decoder. Before the SDK parses a response, `streamCollector`
 * replaces each base64 value with a placeholder such as `#0`. The SDK passes each placeholder to `base64Decoder`, which
 * returns the decoded bytes.
 *
 *   {"Items":[{"bytes":{"B":"KLUv/WQ…"},"sk":…   ── for the SDK ──▶   {"Items":[{"bytes":{"B":"#0"},"sk":…
 */
import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { streamCollector } from "@smithy/core/serde";

/** The JSON text before a base64 value. Text in a JSON string never matches, because JSON escapes quotes as `\"`. */
const opening = '{"B":"';

/** The first character of a placeholder. A base64 value never looks like a placeholder, because base64 has no `#`. */
const placeholderStart = "#";

const padding = "=".charCodeAt(0);

/** The number of characters to decode at once. V8 frees strings of this size in a cheap minor garbage collection. */
const pieceCharacters = 64 * 1024;

/**
 * Decodes the base64 text from `start` to `end`, and overwrites the text with the decoded bytes, which are shorter.
 *
 * @throws TypeError if the text is not base64. Node.js itself would skip unknown characters.
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

/** Returns the options that replace the base64 decoder of a DynamoDB client. */
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
      // Frees the memory of the decoded values. `setImmediate` waits until the SDK has parsed the response.
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
