/** Parses an email into text parts, attachments and headers. */

import { charsetDecoder, type DecodeCharset, join } from "./charset.ts";
import { declaredCharsets } from "./declared-charsets.ts";
import { decodeHeaderText, type HeaderField, trimBlanks } from "./header.ts";
import { contentDisposition, contentId, parameterText, type Structured, transferEncoding } from "./parameters.ts";
import type { ParsedContent } from "./parsed-email.ts";
import { base64Of } from "./slices.ts";
import { decodeTransfer } from "./transfer-encoding.ts";
import { type Leaf, splitEmail } from "./tree.ts";

/** A name of only blanks is none. */
const fileName = (field: Structured, parameter: string, decode: DecodeCharset): string => {
  const name = parameterText(field, parameter, decode);
  return name.trim() === "" ? "" : name;
};

/** Decides whether a part is shown as text or is an attachment. */
export const describeLeaf = ({ contentType, header }: Leaf, decode: DecodeCharset) => {
  const content_type = contentType.value;
  const disposition = contentDisposition(header);
  const filename = fileName(disposition, "filename", decode) || fileName(contentType, "name", decode);
  const isInline = content_type.startsWith("text/") && disposition.value !== "attachment" && filename === "";
  return { content_type, filename, isInline };
};

type InSlices<Leaves extends { content: string }[]> = (Omit<Leaves[number], "content"> & {
  content: Iterable<string>;
})[];

/** What the parser finds in an email. The contents are decoded slice by slice, once, when they are read. */
export type EmailContent = {
  parts: InSlices<ParsedContent["parts"]>;
  attachments: InSlices<ParsedContent["attachments"]>;
  headers: ParsedContent["headers"];
};

function* textOf({ header, contentType, body }: Leaf, decode: DecodeCharset): Generator<string> {
  const charset = contentType.parameters.get("charset")?.bytes ?? "";
  yield* decode.slices(decodeTransfer(body, transferEncoding(header)), charset);
}

function* fileOf({ header, body }: Leaf): Generator<string> {
  yield* base64Of(decodeTransfer(body, transferEncoding(header)));
}

/** Returns null if the email exceeds a limit of `tree.ts`. Never throws. Takes linear time and memory. */
export const readContent = (raw: Uint8Array): EmailContent | null => {
  const email = splitEmail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  if (email === null) return null;

  const decode = charsetDecoder(declaredCharsets(email.header, () => email.leaves));
  const parts: EmailContent["parts"] = [];
  const attachments: EmailContent["attachments"] = [];
  for (const leaf of email.leaves) {
    const { content_type, filename, isInline } = describeLeaf(leaf, decode);
    if (isInline) {
      parts.push({ content_type, content: textOf(leaf, decode) });
    } else {
      const content_id = contentId(leaf.header, decode);
      attachments.push({ filename, content: fileOf(leaf), content_type, content_id });
    }
  }
  return { parts, attachments, headers: gatherHeaders(email.header, decode) };
};

const whole = <Leaf extends { content: Iterable<string> }>(leaf: Leaf) => ({ ...leaf, content: join(leaf.content) });

/** Like {@link readContent}, but with the whole contents in memory. */
export const parseEmail = (raw: Uint8Array): ParsedContent | null => {
  const content = readContent(raw);
  return content && { ...content, parts: content.parts.map(whole), attachments: content.attachments.map(whole) };
};

/** Uses `Object.fromEntries`, because an assignment would lose a header field with the name `__proto__`. */
const gatherHeaders = (header: HeaderField[], decode: DecodeCharset): ParsedContent["headers"] => {
  const fields = header.map(({ name, value }) => ({
    name: decode.header(Buffer.from(name, "latin1")),
    text: decodeHeaderText(trimBlanks(value), decode),
  }));
  const groups = Map.groupBy(fields, ({ name }) => name.toLowerCase());
  return Object.fromEntries(Array.from(groups.values(), (group) => [group[0]?.name, group.map(({ text }) => text)]));
};
