/**
 * The sample emails: each is exact to the byte, and named for what it has that real mail has. The three of
 * the demonstration account stand with it.
 */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { parseEmail } from "../../lib/messages/mime.ts";

const folders = ["../emails/", "../../infra/local/demo/"].map((folder) => new URL(folder, import.meta.url));

const files = new Map(
  folders.flatMap((folder) =>
    readdirSync(folder).map((file) => [file.replace(/\.eml$/, ""), new URL(file, folder)] as const),
  ),
);

export const sampleNames: readonly string[] = [...files.keys()];

export const sampleEmail = (name: string): Promise<Buffer> => {
  const file = files.get(name);
  if (!file) throw new Error(`There is no sample email ${name}`);
  return readFile(file);
};

/** What the sample parses to: no sample is past the parser's limits. */
export const parseSample = async (name: string) => {
  const parsed = parseEmail(await sampleEmail(name));
  if (parsed === null) throw new Error(`${name} is past the limits`);
  return parsed;
};

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
