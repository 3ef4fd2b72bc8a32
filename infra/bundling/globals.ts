/** Replaces two globals in the bundle. Loading the modules of the original globals takes 5% of a cold start. */

/** The SDK uses only `crypto.randomUUID`. The global `crypto` would load all of Web Crypto. */
export * as crypto from "node:crypto";

/** The SDK only checks whether a body is a `ReadableStream`. No function uses web streams. */
export const ReadableStream = undefined;
