/** Compresses a streamed response as the caller's Accept-Encoding asks, and never otherwise. */
import { pipeline } from "node:stream";
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib";
import Negotiator from "negotiator";
import type { ApiMiddleware } from "./request.ts";

/**
 * Best first, for a caller who likes them equally. Levels are those that keep up with a network: brotli's
 * default of 11 is made for files compressed once. zstd's level 3 has a window of 2 MB, within the 8 MB
 * that RFC 9659 allows over HTTP.
 */
const encoders = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 6 }),
};
const preferred = Object.keys(encoders);

export const compress = (): ApiMiddleware => ({
  after: ({ event, response }) => {
    if (typeof response?.body !== "object") return;
    const { body } = response;
    const negotiator = new Negotiator({ headers: { "accept-encoding": event.headers["accept-encoding"] } });
    const encoding = negotiator.encoding([...preferred, "identity"], { preferred }) as keyof typeof encoders;
    response.headers = { ...response.headers, Vary: "Accept-Encoding" };
    if (!(encoding in encoders)) return;
    response.headers["Content-Encoding"] = encoding;
    // Unlike pipe, pipeline hands an error on: a body that breaks off must not look complete, or hang.
    response.body = (encoding === "zstd" && body.zstd?.()) || pipeline(body, encoders[encoding](), () => {});
  },
});
