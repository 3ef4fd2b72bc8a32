/** Parses an email with postal-mime, as its documentation shows, into our own form. */
import PostalMime, { decodeWords } from "postal-mime";
import type { ParsedContent } from "../../../lib/email/parsed-email.ts";

export const parse = async (raw: Buffer): Promise<ParsedContent> => {
  const email = await PostalMime.parse(raw, { attachmentEncoding: "base64" });
  const headers: ParsedContent["headers"] = {};
  for (const { originalKey, value } of email.headers) {
    headers[originalKey] ??= [];
    headers[originalKey].push(decodeWords(value));
  }
  return {
    parts: [
      ...(email.text === undefined ? [] : [{ content_type: "text/plain", content: email.text }]),
      ...(email.html === undefined ? [] : [{ content_type: "text/html", content: email.html }]),
    ],
    attachments: email.attachments.map(({ filename, content, mimeType, contentId }) => ({
      filename: filename ?? "",
      content: content as string,
      content_type: mimeType,
      content_id: contentId?.replace(/^<|>$/g, "") ?? "",
    })),
    headers,
  };
};
