/** One HTTP request, as a caller without a library sees its response: nothing is decoded that was not asked for. */
import {
  type ClientRequest,
  request as http,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { request as https } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** Decoded as Content-Encoding says. */
  body: Buffer;
  /** Milliseconds from the request to the first and to the last byte of the body. */
  firstByte: number;
  lastByte: number;
  /** The bytes that were received. */
  bytes: number;
};

export type Ask = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Milliseconds to wait after each MiB that was read. */
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

/** @throws Error when the response breaks off */
export const request = async (
  url: string,
  { method = "GET", headers = {}, body, pause = 0 }: Ask = {},
): Promise<Answer> => {
  const startedAt = performance.now();
  // A connection of its own: a server may close one that is kept just when it is used again.
  const outgoing = (url.startsWith("https:") ? https : http)(url, { method, headers, agent: false });
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
