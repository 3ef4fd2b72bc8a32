/** HTTP requests without a client library, so that we see what was sent. Only `Content-Encoding` is decoded. */
import { type ClientRequest, request as http, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as https } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

export type Received = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Decompressed. */
  body: Buffer;
  /** Milliseconds from the request to the first byte of the body … */
  firstByte: number;
  /** … and to the last. */
  lastByte: number;
  /** The size of the compressed body. */
  bytes: number;
};

export type Sent = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Milliseconds to wait after each MiB of the response. */
  pause?: number;
};

const decoders: Record<string, (body: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

const responseTo = (outgoing: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
  });

/** @throws Error if the response ends early */
export const request = async (
  url: string,
  { method = "GET", headers = {}, body, pause = 0 }: Sent = {},
): Promise<Received> => {
  const startedAt = performance.now();
  const outgoing = (url.startsWith("https:") ? https : http)(url, {
    method,
    headers: { Accept: "*/*", ...headers },
    agent: false, // A server may close a reused connection in the moment of the next request.
  });
  const response = responseTo(outgoing);
  outgoing.end(body);
  const incoming = await response;
  const chunks: Buffer[] = [];
  let firstByte = Number.NaN;
  let bytes = 0;
  let pausedAt = 0;
  for await (const chunk of incoming) {
    if (bytes === 0) firstByte = performance.now() - startedAt;
    bytes += chunk.length;
    chunks.push(chunk);
    if (pause > 0 && bytes - pausedAt > 1024 * 1024) {
      pausedAt = bytes;
      await sleep(pause);
    }
  }
  const lastByte = performance.now() - startedAt;
  const received = Buffer.concat(chunks);
  const decode = decoders[incoming.headers["content-encoding"] ?? ""];
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: decode ? decode(received) : received,
    firstByte,
    lastByte,
    bytes,
  };
};
