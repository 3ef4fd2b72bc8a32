/** What the peer uses of mailsplit, which comes without types. */
declare module "mailsplit" {
  import type { Transform } from "node:stream";

  export type MimeNode = {
    type: "node";
    root: boolean;
    multipart: string | false;
    contentType: string | false;
    disposition: string | false;
    charset: string | false;
    filename: string | false;
    headers: { getList(): { key: string; line: string }[]; getFirst(key: string): string };
    libmime: {
      decodeHeader(line: string): { key: string; value: string };
      decodeWords(text: string): string;
    };
    getDecoder(): Transform;
  };
  export type Chunk =
    | MimeNode
    | { type: "data"; value: Buffer }
    | { type: "body"; node: MimeNode; value: Buffer };
  export const Splitter: new (options?: {
    ignoreEmbedded?: boolean;
    maxHeadSize?: number;
  }) => Transform & AsyncIterable<Chunk>;
}
