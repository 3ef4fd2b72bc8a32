/** The rules of the contract for every response. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { expect } from "vitest";
import { operations } from "../../lib/http/operations.ts";

const successes = operations.map(({ status }) => status);
const statuses = new Set([...successes, 400, 401, 403, 404, 406, 409, 413, 415, 422]);

/** Asserts the rules for every response. @param text the body, or `null` for a response to HEAD */
export const expectContract = (status: number, headers: Record<string, unknown>, text: string | null): void => {
  expect(statuses).toContain(status);
  expect(headers).toMatchObject({
    ...(status !== 204 && { "content-type": "application/json" }),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^.+$/),
  });
  if (text === null) return;
  if (status === 204) expect(text).toBe("");
  else if (status < 300) expect(JSON.parse(text)).not.toHaveProperty("message");
  else expect(JSON.parse(text)).toEqual({ message: expect.stringMatching(/^.{5,}$/s) });
};

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };
const isKnown = (encoding: unknown): encoding is keyof typeof decoders => String(encoding) in decoders;

/** Returns the text of a body, after it decompresses the body's Content-Encoding. */
export const decoded = (bytes: Buffer, encoding: unknown): string =>
  (isKnown(encoding) ? decoders[encoding](bytes) : bytes).toString();
