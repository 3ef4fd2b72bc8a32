/** Parses an email into text parts, attachments and headers. */

import { charsetDecoder, type DecodeCharset, decodeHeaderBytes } from "./charset.ts";
import { decodeHeaderText, type HeaderField, trimBlanks } from "./header.ts";
import { contentDisposition, contentId, parameterText, transferEncoding } from "./parameters.ts";
import type { ParsedContent } from "./parsed-email.ts";
import { decodeTransfer } from "./transfer-encoding.ts";
import { type Leaf, splitEmail } from "./tree.ts";

/** Decides whether a part is shown as text or is an attachment. */
export const describeLeaf = ({ contentType, header }: Leaf, decode: DecodeCharset) => {
  const content_type = contentType.value;
  const disposition = contentDisposition(header);
  const filename = parameterText(disposition, "filename", decode) || parameterText(contentType, "name", decode);
  const isInline = content_type.startsWith("text/") && disposition.value !== "attachment" && filename === "";
  return { content_type, filename, isInline };
};

/** Returns null if the email exceeds a limit of `mime/tree.ts`. Never throws. Takes linear time and memory. */
export const parseEmail = (raw: Uint8Array): ParsedContent | null => {
  const email = splitEmail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  if (email === null) return null;

  const decode = charsetDecoder();
  const parts: ParsedContent["parts"] = [];
  const attachments: ParsedContent["attachments"] = [];
  for (const leaf of email.leaves) {
    const { contentType, header, body } = leaf;
    const { content_type, filename, isInline } = describeLeaf(leaf, decode);
    const encoding = transferEncoding(header);
    if (isInline) {
      const charset = contentType.parameters.get("charset")?.bytes ?? "";
      parts.push({ content_type, content: decode(decodeTransfer(body, encoding), charset) });
    } else {
      const content = decodeTransfer(body, encoding).toString("base64");
      attachments.push({ filename, content, content_type, content_id: decodeHeaderText(contentId(header), decode) });
    }
  }
  return { parts, attachments, headers: gatherHeaders(email.header, decode) };
};

/** Uses `Object.fromEntries`, because an assignment would lose a header field with the name `__proto__`. */
const gatherHeaders = (header: HeaderField[], decode: DecodeCharset): ParsedContent["headers"] => {
  const fields = header.map(({ name, value }) => ({
    name: decodeHeaderBytes(Buffer.from(name, "latin1")),
    text: decodeHeaderText(trimBlanks(value), decode),
  }));
  const groups = Map.groupBy(fields, ({ name }) => name.toLowerCase());
  return Object.fromEntries(Array.from(groups.values(), (group) => [group[0]?.name, group.map(({ text }) => text)]));
};
