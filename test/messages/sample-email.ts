/** The sample emails: each is exact to the byte, and named for what it has that real mail has. */
import { readFile } from "node:fs/promises";
import { parseEmail } from "../../lib/messages/mime.ts";

export function sampleEmail(name: string): Promise<Buffer> {
  return readFile(new URL(`../emails/${name}.eml`, import.meta.url));
}

/** What the sample parses to: no sample is past the parser's limits. */
export async function parseSample(name: string) {
  const parsed = await parseEmail(await sampleEmail(name));
  if (parsed === null) throw new Error(`${name} is past the limits`);
  return parsed;
}

/** A part or attachment that says nothing but what the test is about. */
export const text = (content: string) => ({ content_type: "text/plain", content });
export const html = (content: string) => ({ content_type: "text/html", content });
export const attachment = (
  content_type: string,
  content: string | Buffer,
  filename = "",
  content_id = "",
) => ({
  filename,
  content: Buffer.from(content).toString("base64"),
  content_type,
  content_id,
});
