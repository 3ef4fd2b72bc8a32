/** Replaces the globals `crypto` and `ReadableStream`, because loading both globals slows down cold starts. */

/** The SDK uses only `crypto.randomUUID`, but Node.js's global `crypto` loads all of Web Crypto. */
export * as crypto from "node:crypto";

/** The SDK uses `ReadableStream` only in checks of a value's type. No function uses web streams. */
export const ReadableStream = undefined;
