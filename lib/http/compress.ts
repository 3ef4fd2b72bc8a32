/** Compresses a response with zstd, br or gzip if the request's Accept-Encoding allows it. */
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib";
import Negotiator from "negotiator";
import type { StreamedBody } from "../streams/streamed-body.ts";
import { throughZlib } from "../streams/through-zlib.ts";
import { tooLargeUncompressed } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import { type ApiMiddleware, headerValues } from "./request.ts";

/** The lowest levels: the caller waits for the compression, and at 25 MiB zstd's level 3 took half as long again. */
const encoders = {
  // At level 1, zstd uses a window of 512 KB; RFC 9659 allows up to 8 MB in HTTP.
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
};
/** If a caller accepts several encodings equally, we use the first of them in this list. */
const preferred: (keyof typeof encoders)[] = ["zstd", "br", "gzip"];

/** Hardly a client that sends `*` decodes zstd or br: Prism's proxy and node-fetch fail on every such response. */
const offersFor = (accepted: string) => {
  const named = new Set(accepted.split(",").map((coding) => coding.replace(/;.*/s, "").trim().toLowerCase()));
  return preferred.filter((coding) => coding === "gzip" || named.has(coding));
};

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
    const codings = offersFor(accepted);
    const offered = isTooLarge ? codings : [...codings, "identity" as const];
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
