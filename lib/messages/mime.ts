/** Parses an email into text parts, attachments and headers. */
import type { Attachment, ParsedContent, Part } from "./message.ts";
import { charsetDecoder, type DecodeCharset, decodeHeaderBytes } from "./mime/charset.ts";
import { decodeHeaderText, type HeaderField, trimBlanks } from "./mime/header.ts";
import {
  contentDisposition,
  contentId,
  parameterText,
  type Structured,
  transferEncoding,
} from "./mime/parameters.ts";
import { decodeTransfer, transferToBase64 } from "./mime/transfer-encoding.ts";
import { type Leaf, splitEmail } from "./mime/tree.ts";

/**
 * Parses an email. Returns null if the email exceeds a limit of `mime/tree.ts`: nesting, number of parts or size of the
 * headers. All text is well-formed Unicode. Never throws. Time and memory grow linearly with the email.
 */
export const parseEmail = (raw: Uint8Array): ParsedContent | null => {
  const email = splitEmail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  if (email === null) return null;

  const decode = charsetDecoder();
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const leaf of email.leaves) {
    const disposition = contentDisposition(leaf.header);
    const filename = fileName(disposition, leaf.contentType, decode);
    const isInlineText =
      leaf.contentType.value.startsWith("text/") && disposition.value !== "attachment" && filename === "";
    if (isInlineText) parts.push(readPart(leaf, decode));
    else attachments.push(readAttachment(leaf, filename, decode));
  }
  return { parts, attachments, headers: gatherHeaders(email.header, decode) };
};

const fileName = (disposition: Structured, type: Structured, decode: DecodeCharset): string =>
  parameterText(disposition, "filename", decode) || parameterText(type, "name", decode);

const readPart = ({ contentType, header, body }: Leaf, decode: DecodeCharset): Part => {
  const charset = contentType.parameters.get("charset")?.bytes ?? "";
  const content = decode(decodeTransfer(body, transferEncoding(header)), charset);
  return { content_type: contentType.value, content };
};

const readAttachment = (
  { contentType, header, body }: Leaf,
  filename: string,
  decode: DecodeCharset,
): Attachment => ({
  filename,
  content: transferToBase64(body, transferEncoding(header)),
  content_type: contentType.value,
  content_id: decodeHeaderText(contentId(header), decode),
});

/** Returns the values of each header name. `Object.fromEntries` accepts the name `__proto__`. */
const gatherHeaders = (header: HeaderField[], decode: DecodeCharset): ParsedContent["headers"] => {
  const gathered = new Map<string, { name: string; values: string[] }>();
  for (const field of header) {
    const name = decodeHeaderBytes(Buffer.from(field.name, "latin1"));
    const key = name.toLowerCase();
    const text = decodeHeaderText(trimBlanks(field.value), decode);
    const known = gathered.get(key);
    if (known) known.values.push(text);
    else gathered.set(key, { name, values: [text] });
  }
  return Object.fromEntries(Array.from(gathered.values(), ({ name, values }) => [name, values]));
};
