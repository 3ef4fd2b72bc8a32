/** What the parser makes of an email: `content_parsed` of the Message object. */
import * as z from "zod/mini";

export const Part = z.object({ content_type: z.string(), content: z.string() });

/** The `content` of an attachment is base64 without line breaks. */
export const Attachment = z.object({
  filename: z.string(),
  content: z.string(),
  content_type: z.string(),
  content_id: z.string(),
});

export const ParsedContent = z.object({
  parts: z.array(Part),
  attachments: z.array(Attachment),
  headers: z.record(z.string(), z.array(z.string())),
});
export type ParsedContent = z.infer<typeof ParsedContent>;
