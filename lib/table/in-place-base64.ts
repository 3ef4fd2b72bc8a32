/**
 * Decodes the binary values in DynamoDB's JSON before the SDK parses it, and leaves a short placeholder for each.
 * Without this, the SDK copies each value into two strings, which took most of a large message's processor time.
 */
import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { streamCollector } from "@smithy/core/serde";

/** In DynamoDB's JSON, only a binary value begins with these characters: in a string, the quotes would be escaped. */
const opening = '{"B":"';

/** Base64 has no `#`, so a value that starts with it can only be a placeholder. */
const placeholderStart = "#";

const padding = "=".charCodeAt(0);

/** V8 frees strings of this size in its cheap minor garbage collections. */
const pieceCharacters = 64 * 1024;

/** Writes the bytes over their base64, which is longer. Node.js decodes invalid base64 to fewer bytes than expected. */
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
        if (end < 0) break; // The response isn't JSON, so the SDK will throw.
        const name = `${placeholderStart}${count++}`;
        found.set(name, decodeInPlace(response, start, end));
        pieces.push(response.subarray(rest, start), Buffer.from(name));
        rest = end;
      }
      for (const [name, bytes] of found) decoded.set(name, bytes);
      // One turn of the event loop later, the SDK has parsed the response, and the placeholders are no longer needed.
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
