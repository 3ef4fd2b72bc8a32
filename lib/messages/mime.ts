/** The parsed content of an email: its text, its attachments, its headers. */
import type { Attachment, ParsedContent, Part } from "./message.ts";
import { decodeCharset } from "./mime/charset.ts";
import { decodeHeaderText, type HeaderField, headerValue, trimBlanks } from "./mime/header.ts";
import { contentDisposition, parameterText } from "./mime/parameters.ts";
import { decodeTransfer, transferToBase64 } from "./mime/transfer-encoding.ts";
import { type Leaf, splitEmail } from "./mime/tree.ts";

/**
 * Parses an email as Get Message answers it. Answers null where the email is past the limits of
 * `mime/tree.ts`: nesting, number of parts, size of headers. Never throws, whatever the bytes; time and
 * memory grow linearly with them.
 */
export const parseEmail = (raw: Uint8Array): ParsedContent | null => {
  const email = splitEmail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  if (email === null) return null;

  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const leaf of email.leaves) {
    const disposition = contentDisposition(leaf.header);
    const filename = parameterText(disposition, "filename") || parameterText(leaf.contentType, "name");
    const isInlineText =
      leaf.contentType.value.startsWith("text/") && disposition.value !== "attachment" && filename === "";
    if (isInlineText) parts.push(readPart(leaf));
    else attachments.push(readAttachment(leaf, filename));
  }
  return { parts, attachments, headers: gatherHeaders(email.header) };
};

const readPart = ({ contentType, header, body }: Leaf): Part => {
  const charset = contentType.parameters.get("charset")?.bytes ?? "";
  const content = decodeCharset(decodeTransfer(body, transferEncoding(header)), charset);
  return { content_type: contentType.value, content };
};

const readAttachment = ({ contentType, header, body }: Leaf, filename: string): Attachment => {
  const contentId = decodeHeaderText(headerValue(header, "content-id"));
  return {
    filename,
    content: transferToBase64(body, transferEncoding(header)),
    content_type: contentType.value,
    content_id: contentId.replace(/^</, "").replace(/>$/, ""),
  };
};

const transferEncoding = (header: HeaderField[]): string => {
  const [encoding] = /^[\w-]*/.exec(headerValue(header, "content-transfer-encoding")) ?? [""];
  return encoding.toLowerCase();
};

/** Built from entries, where `__proto__` is a name like any other. */
const gatherHeaders = (header: HeaderField[]): ParsedContent["headers"] => {
  const gathered = new Map<string, { name: string; values: string[] }>();
  for (const { name, value } of header) {
    const key = name.toLowerCase();
    const text = decodeHeaderText(trimBlanks(value));
    const known = gathered.get(key);
    if (known) known.values.push(text);
    else gathered.set(key, { name, values: [text] });
  }
  return Object.fromEntries(Array.from(gathered.values(), ({ name, values }) => [name, values]));
};
