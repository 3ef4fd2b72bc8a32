/** What every answer promises, whatever was asked. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { expect } from "vitest";

const statuses = new Set([200, 201, 400, 401, 403, 404, 406, 409, 413, 415, 422]);

/** Holds an answer to what every answer promises. @param body `null` where the answer has none, as to HEAD */
export const expectContract = (
  status: number,
  headers: Record<string, unknown>,
  text: string | null,
): void => {
  expect(statuses).toContain(status);
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^.+$/),
  });
  if (text === null) return;
  if (status < 300) expect(JSON.parse(text)).toHaveProperty("account_id");
  else expect(JSON.parse(text)).toEqual({ message: expect.stringMatching(/^.{5,}$/s) });
};

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync };
const isKnown = (encoding: unknown): encoding is keyof typeof decoders => String(encoding) in decoders;

/** The text of a body, decompressed as its Content-Encoding says. */
export const decoded = (bytes: Buffer, encoding: unknown): string =>
  (isKnown(encoding) ? decoders[encoding](bytes) : bytes).toString();
