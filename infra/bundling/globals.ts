/** Replaces two globals in the bundle. Without replacement, their modules take 5% of a cold start to load. */

/** The SDK uses only `crypto.randomUUID`. The global `crypto` would load all of Web Crypto. */
export * as crypto from "node:crypto";

/** The SDK only checks whether a body is a `ReadableStream`. No function uses web streams. */
export const ReadableStream = undefined;
