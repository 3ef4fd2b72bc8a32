/** Compresses a streamed response as the caller's Accept-Encoding asks, and never otherwise. */
import { pipeline } from "node:stream";
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib";
import Negotiator from "negotiator";
import { tooLargeUncompressed } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import { type ApiMiddleware, headerValues } from "./request.ts";

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
const preferred: (keyof typeof encoders)[] = ["zstd", "br", "gzip"];

/**
 * Lambda ends a streamed response at 200 MB; the prelude is some of it. Compressed, no message comes near that: of an
 * email of 40 MiB, whatever its bytes, zstd, br and gzip make at most 115 MB (measured on what compresses worst).
 */
const maximumBytes = 200_000_000 - 1000;

export const compress = (): ApiMiddleware => ({
  after: ({ event, response }) => {
    if (typeof response?.body !== "object") return;
    const { body } = response;
    const accepted = headerValues(event, "accept-encoding").join(","); // one list (RFC 9110, section 5.3)
    const negotiator = new Negotiator({ headers: { "accept-encoding": accepted } });
    const isTooLarge = (body.bytes ?? 0) > maximumBytes;
    const offered = isTooLarge ? preferred : [...preferred, "identity" as const];
    const encoding = negotiator.encoding(offered, { preferred });
    if (isTooLarge && !encoding) {
      body.destroy();
      throw new ApiError(tooLargeUncompressed);
    }
    response.headers = { ...response.headers, Vary: "Accept-Encoding" };
    if (!encoding || encoding === "identity") return;
    response.headers["Content-Encoding"] = encoding;
    // Unlike pipe, pipeline hands an error on: a body that breaks off must not look complete, or hang.
    response.body = (encoding === "zstd" && body.zstd?.()) || pipeline(body, encoders[encoding](), () => {});
  },
});
