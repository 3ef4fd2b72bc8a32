/** Get Message as a peer would write it on mailsplit, by its documentation. */
import { Readable } from "node:stream";
import { type MimeNode, Splitter } from "mailsplit";
import type { ParsedContent } from "../../../lib/messages/message.ts";
import { getMessage } from "./raw-messages.ts";

type Leaf = { node: MimeNode; body: Buffer[] };

const decoded = async ({ node, body }: Leaf): Promise<Buffer> =>
  Buffer.concat(await Readable.from(body).pipe(node.getDecoder()).toArray());

const readHeaders = ({ headers, libmime }: MimeNode): ParsedContent["headers"] => {
  const gathered: ParsedContent["headers"] = {};
  for (const { line } of headers.getList()) {
    const name = line.slice(0, line.indexOf(":"));
    gathered[name] ??= [];
    gathered[name].push(libmime.decodeWords(libmime.decodeHeader(line).value));
  }
  return gathered;
};

const parse = async (raw: Buffer): Promise<ParsedContent> => {
  const leaves: Leaf[] = [];
  let headers: ParsedContent["headers"] = {};
  for await (const chunk of Readable.from([raw]).pipe(new Splitter({ ignoreEmbedded: true }))) {
    if (chunk.type === "node") {
      if (chunk.root) headers = readHeaders(chunk);
      if (!chunk.multipart) leaves.push({ node: chunk, body: [] });
    } else if (chunk.type === "body") leaves.at(-1)?.body.push(chunk.value);
  }

  const parsed: ParsedContent = { parts: [], attachments: [], headers };
  for (const leaf of leaves) {
    const { contentType, disposition, charset, filename } = leaf.node;
    const content_type = contentType || "text/plain";
    const content = await decoded(leaf);
    if (content_type.startsWith("text/") && disposition !== "attachment" && !filename) {
      parsed.parts.push({ content_type, content: new TextDecoder(charset || "utf-8").decode(content) });
    } else {
      parsed.attachments.push({
        filename: filename || "",
        content: content.toString("base64"),
        content_type,
        content_id: leaf.node.headers.getFirst("Content-ID").replace(/^<|>$/g, ""),
      });
    }
  }
  return parsed;
};

export const handler = getMessage(parse);
