/**
 * Node.js loads the globals `crypto` and `ReadableStream` on first use, which in the AWS SDK is every cold start, so we
 * replace both.
 */

/** The AWS SDK needs only `crypto.randomUUID`, but Node.js's global `crypto` would load all of Web Crypto. */
export * as crypto from "node:crypto";

/** The AWS SDK needs the class `ReadableStream` only to recognise such streams, and we never pass it one. */
export const ReadableStream = undefined;
