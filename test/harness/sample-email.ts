/** The sample emails. Each file is named after its special feature. The demonstration emails are among them. */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { parseEmail } from "../../lib/email/parse-email.ts";

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

/** Returns a parsed sample. */
export const parseSample = async (name: string) => {
  const parsed = parseEmail(await sampleEmail(name));
  if (parsed === null) throw new Error(`${name} exceeds the parser's limits`);
  return parsed;
};

/** Returns random ASCII text as an email. The email is compressed to about this many bytes. */
export const randomEmail = (bytes: number): Buffer => Buffer.from(randomBytes(bytes).toString("base64"));

/** Parts and attachments with default fields. */
export const text = (content: string) => ({ content_type: "text/plain", content });
export const html = (content: string) => ({ content_type: "text/html", content });
export const attachment = (content_type: string, content: string | Buffer, filename = "", content_id = "") => ({
  filename,
  content: Buffer.from(content).toString("base64"),
  content_type,
  content_id,
});
