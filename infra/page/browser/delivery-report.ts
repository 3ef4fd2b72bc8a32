/** Reads the machine-readable part of a delivery report (RFC 3464). */
import type { ParsedContent } from "../../../lib/email/parsed-email.ts";
import { excerptCharacters, textOf } from "./excerpt.ts";

/** The fields about one recipient, with names in lower case. */
export type Report = Record<string, string>;

const maximumReports = 10;
const maximumRecipients = 50;

const fieldsOf = (block: string): Report =>
  Object.fromEntries(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, Math.max(colon, 0)).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );

/** Blocks of fields: the first about the report itself, each further one about a recipient. */
export const reportsOf = ({ attachments }: ParsedContent): Report[] =>
  attachments
    .filter(({ content_type }) => /^message\/(global-)?delivery-status$/.test(content_type))
    .slice(0, maximumReports)
    .flatMap(({ content }) =>
      textOf(content)
        .replace(/\r\n?/g, "\n")
        .replace(/\n[ \t]+/g, " ")
        .split(/\n{2,}/),
    )
    .map(fieldsOf)
    .filter((fields) => fields["final-recipient"] || fields.action)
    .slice(0, maximumRecipients);

export const originalOf = ({ parts, attachments }: ParsedContent): string | undefined => {
  const part = parts.find(({ content_type }) => /rfc822-headers$/.test(content_type));
  const isOriginal = /^message\/(rfc822|global|global-headers)$|rfc822-headers$/;
  const attachment = attachments.find(({ content_type }) => isOriginal.test(content_type));
  const text = part?.content.slice(0, excerptCharacters) ?? (attachment ? textOf(attachment.content) : "");
  return /^message-id:\s*(<[^>\s]*>)/im.exec(text)?.[1];
};

/** Removes the type in front of a value, such as `rfc822;`. */
export const plainValue = (text = ""): string => text.replace(/^(rfc822|utf-8|smtp|dns|x-[\w-]+)\s*;\s*/i, "");
