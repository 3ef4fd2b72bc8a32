/**
 * Decodes the binary values in DynamoDB's JSON before the SDK parses it, and leaves a short placeholder for each. The
 * SDK would turn each binary value into two strings, which takes most of the processor time of a large message.
 */
import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { streamCollector } from "@smithy/core/serde";

/** `{"B":"` always begins a binary value in DynamoDB's JSON, because a string would escape the quotes. */
const opening = '{"B":"';

/** Base64 has no `#`, so a value that starts with it can only be a placeholder. */
const placeholderStart = "#";

const padding = "=".charCodeAt(0);

/** V8 frees strings of this size in its cheap minor garbage collections. */
const pieceCharacters = 64 * 1024;

/** Decodes base64 into the same buffer, because the result is shorter. Node.js skips invalid characters. */
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
      // Waits for one turn of the event loop; by then, the SDK has parsed the response and fetched the bytes.
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
