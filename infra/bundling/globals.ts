/** In place of globals that Node.js loads when they are first spoken of: a twentieth of a cold start. */
/** The SDK takes random UUIDs of it. The global one is Web Crypto. */
export * as crypto from "node:crypto";

/** No function reads or sends a web stream, but the SDK asks of every body whether it is one. */
export const ReadableStream = undefined;
