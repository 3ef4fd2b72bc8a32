/** Replaces the globals `crypto` and `ReadableStream`, because Node.js would load both in every cold start. */

/** The AWS SDK needs only `crypto.randomUUID`, but Node.js's global `crypto` would load all of Web Crypto. */
export * as crypto from "node:crypto";

/** The AWS SDK needs the class `ReadableStream` only to recognise such streams, and we never pass it one. */
export const ReadableStream = undefined;
