/** What the page shows of a parsed email: texts that are cut to what a browser can draw, and sizes of attachments. */
import type { ParsedContent } from "../../../lib/email/parsed-email.ts";
import type { Structure } from "../served.ts";
import { originalOf, type Report, reportsOf } from "./delivery-report.ts";
import { bytesOf, shownOf, sizeOf } from "./excerpt.ts";

export type PartView = { content_type: string; content: string; length: number };
export type AttachmentView = { filename: string; content_type: string; content_id: string; bytes: number };
/** A leaf of the MIME tree, as the index of a part or of an attachment. */
export type Leaf = { isReplaced: boolean; part?: number; attachment?: number };

export type View = {
  parts: PartView[];
  attachments: AttachmentView[];
  headers: Record<string, string[]>;
  leaves: Leaf[];
  /** The address of each attachment that is a picture. */
  images: (string | null)[];
  reports: Report[];
  /** The Message-ID of the message that a delivery report is about. */
  original: string | undefined;
};

export const emptyView: View = {
  parts: [],
  attachments: [],
  headers: {},
  leaves: [],
  images: [],
  reports: [],
  original: undefined,
};

const maximumImageCharacters = 8_000_000;

/** The email's leaves in document order. Without a structure that fits, nothing counts as replaced. */
const leavesOf = ({ parts, attachments }: ParsedContent, structure: Structure | null): Leaf[] => {
  const fits =
    structure?.length === parts.length + attachments.length &&
    structure.filter(({ isInline }) => isInline).length === parts.length;
  const inOrder = [...parts.map(() => ({ isInline: true })), ...attachments.map(() => ({ isInline: false }))];
  const all: { isInline: boolean; isReplaced?: boolean }[] = fits ? structure : inOrder;
  let [part, attachment] = [0, 0];
  return all.map(({ isInline, isReplaced = false }) =>
    isInline ? { isReplaced, part: part++ } : { isReplaced, attachment: attachment++ },
  );
};

const decodedId = (id: string): string => {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};

const idsOfPictures = (html: string): string[] =>
  Array.from(html.matchAll(/\bcid:([^"'\s)<>&]+)/gi), ([, id = ""]) => decodedId(id));

const imagesOf = ({ attachments }: ParsedContent): (string | null)[] => {
  let charactersLeft = maximumImageCharacters;
  return attachments.map(({ content_type, content }) => {
    if (!/^image\/[\w.+-]+$/.test(content_type) || content.length > charactersLeft) return null;
    charactersLeft -= content.length;
    // A blob opened in a tab of its own has this page's origin, and an SVG can contain scripts.
    if (content_type === "image/svg+xml") return `data:${content_type};base64,${content}`;
    return URL.createObjectURL(new Blob([bytesOf(content)], { type: content_type }));
  });
};

export const viewOf = (parsed: ParsedContent, structure: Structure | null): View => {
  const { parts, attachments, headers } = parsed;
  const html = parts.filter(({ content_type }) => content_type === "text/html");
  const used = new Set(html.flatMap(({ content }) => idsOfPictures(content)));
  const isPictureAlone = (index: number): boolean => {
    const attachment = attachments[index];
    return attachment?.content_type.startsWith("image/") === true && !used.has(attachment.content_id);
  };
  return {
    headers,
    images: imagesOf(parsed),
    leaves: leavesOf(parsed, structure).filter(
      ({ attachment }) => attachment === undefined || isPictureAlone(attachment),
    ),
    parts: parts.map((part) => ({ ...part, length: part.content.length, content: shownOf(part.content) })),
    attachments: attachments.map(({ content, ...attachment }) => ({ ...attachment, bytes: sizeOf(content) })),
    reports: reportsOf(parsed),
    original: originalOf(parsed),
  };
};
