/** Replaces two of Node.js's globals that are loaded on first use, in every cold start. */

/** The SDK wants only `crypto.randomUUID`, but the global `crypto` loads all of Web Crypto. */
export * as crypto from "node:crypto";

/** The SDK only asks whether a value is one. We use no web streams, so none is. */
export const ReadableStream = undefined;
