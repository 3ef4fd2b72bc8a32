/** Compresses a response with zstd, br or gzip if the request's Accept-Encoding allows it. */
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib";
import Negotiator from "negotiator";
import type { StreamedBody } from "../streams/streamed-body.ts";
import { throughZlib } from "../streams/through-zlib.ts";
import { tooLargeUncompressed } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import { type ApiMiddleware, headerValues } from "./request.ts";

/** At these levels, compression is as fast as most callers' connections; Brotli's default level, 11, is slower. */
const encoders = {
  // At level 3, zstd uses a window of 2 MB; RFC 9659 allows up to 8 MB in HTTP.
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 6 }),
};
/** If a caller accepts several encodings equally, we use the first of them in this list. */
const preferred: (keyof typeof encoders)[] = ["zstd", "br", "gzip"];

/** Lambda cuts off a streamed response after 200 MB, which include its status and headers. */
const maximumBytes = 200_000_000 - 1000;

export const compress: ApiMiddleware = {
  after: ({ context, response }) => {
    if (!response) return;
    const { body } = response;
    const { bytes = 0, zstd }: Partial<StreamedBody> = typeof body === "string" ? {} : body;
    const accepted = headerValues(context.request, "accept-encoding").join(","); // RFC 9110, section 5.3
    const negotiator = new Negotiator({ headers: { "accept-encoding": accepted } });
    const isTooLarge = bytes > maximumBytes;
    const offered = isTooLarge ? preferred : [...preferred, "identity" as const];
    const encoding = negotiator.encoding(offered, { preferred });
    if (isTooLarge && !encoding) {
      if (typeof body !== "string") body.destroy();
      throw new ApiError(tooLargeUncompressed);
    }
    response.headers = { ...response.headers, Vary: "Accept-Encoding" };
    if (!encoding || encoding === "identity") return;
    response.headers["Content-Encoding"] = encoding;
    const source = typeof body === "string" ? [body] : body;
    response.body = (encoding === "zstd" && zstd?.()) || throughZlib(source, encoders[encoding]());
  },
};
