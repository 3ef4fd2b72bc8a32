/** Replaces two globals of Node.js in the bundle, because loading these globals takes 5% of a cold start. */

/** The SDK uses only `crypto.randomUUID`, but Node.js's global `crypto` loads all of Web Crypto. */
export * as crypto from "node:crypto";

/** The SDK uses `ReadableStream` only to find the type of a body. No function uses web streams. */
export const ReadableStream = undefined;
