/** Replaces globals in a bundle. Node.js loads their modules at the first use, which takes 5% of a cold start. */

/** The SDK uses only `randomUUID`. The global `crypto` would load Web Crypto. */
export * as crypto from "node:crypto";

/** The SDK checks whether a body is a web stream. No function uses web streams. */
export const ReadableStream = undefined;
