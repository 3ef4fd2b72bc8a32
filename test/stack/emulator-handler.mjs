/** MiniStack doesn't stream responses, so this collects a function's stream and returns it whole. */
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";

globalThis.awslambda = {
  streamifyResponse: (handler) => async (event, context) => {
    const stream = new PassThrough();
    const body = buffer(stream);
    await handler(event, stream, context);
    return { ...stream.prelude, body: (await body).toString("base64"), isBase64Encoded: true };
  },
  HttpResponseStream: { from: (stream, prelude) => Object.assign(stream, { prelude }) },
};

const deployed = await import("./index.mjs");

/** With `BinaryMediaTypes`, API Gateway encodes the bodies of requests, too. */
const decoded = (event) =>
  event.isBase64Encoded
    ? { ...event, body: Buffer.from(event.body, "base64").toString(), isBase64Encoded: false }
    : event;

export const handler = (event, context) => deployed.handler(decoded(event), context);
