/** Emails to measure with: a newsletter in text and HTML, and attachments up to a size. */
import { createCipheriv } from "node:crypto";

/** Returns the same bytes in every run. They compress as badly as a photograph or a PDF. */
const noise = (length: number, seed: number): Buffer => {
  const key = Buffer.alloc(16, seed);
  return createCipheriv("aes-128-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(length));
};

const words = "account invoice delivery message your order has been shipped with thanks for café".split(" ");

const sentence = (seed: number): string => Array.from(noise(14, seed), (byte) => words[byte % words.length]).join(" ");

const paragraphs = Array.from({ length: 40 }, (_, index) => sentence(index + 1));

const text = paragraphs.join("\r\n\r\n");

const html = `<!doctype html><html><body style="margin:0;font-family:sans-serif">${paragraphs
  .map(
    (paragraph, index) =>
      `\r\n<tr><td style="padding:12px 24px;color:#333;font-size:14px;line-height:20px">` +
      `<a href="https://example.com/click/${noise(12, index + 1).toString("hex")}">${paragraph}</a></td></tr>`,
  )
  .join("")}\r\n</body></html>`;

/** RFC 2045, section 6.8: lines of 76 characters. */
const base64Lines = (bytes: Buffer): string => bytes.toString("base64").replace(/.{76}/g, "$&\r\n");

const part = (contentType: string, body: string, ...headers: string[]): string =>
  [`Content-Type: ${contentType}`, "Content-Transfer-Encoding: base64", ...headers, "", body].join("\r\n");

const attachment = (bytes: number, index: number): string =>
  part(
    `application/pdf; name="report-${index}.pdf"`,
    base64Lines(noise(bytes, 100 + index)),
    `Content-Disposition: attachment; filename="report-${index}.pdf"`,
  );

const header = [
  "From: =?utf-8?Q?Caf=C3=A9?= Example <hello@example.com>",
  "To: Ada Lovelace <ada@example.org>",
  "Subject: Your monthly reports",
  "Date: Fri, 20 Nov 2026 12:00:00 +0000",
  "Message-ID: <reports@example.com>",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="mixed"',
].join("\r\n");

const alternative = [
  'Content-Type: multipart/alternative; boundary="alternative"',
  "",
  "--alternative",
  part("text/plain; charset=utf-8", base64Lines(Buffer.from(text))),
  "--alternative",
  part("text/html; charset=utf-8", base64Lines(Buffer.from(html))),
  "--alternative--",
].join("\r\n");

const largestAttachment = 5 * 1024 * 1024;

const plainHeader = header.replace(/multipart.*/, "text/plain; charset=utf-8");

/** Returns an email of this size within one percent. With 0, it is a newsletter without attachments. */
export const newEmail = (bytes: number): Buffer => {
  if (bytes > 0 && bytes < text.length) {
    return Buffer.from(`${plainHeader}\r\n\r\n${text}`).subarray(0, bytes);
  }
  const pieces = [header, "", "--mixed", alternative];
  // In base64 with its line ends, 57 bytes take 78.
  let left = Math.floor(((bytes - pieces.join("\r\n").length) * 57) / 78);
  for (let index = 1; left > 0; index++) {
    const size = Math.min(left, largestAttachment);
    pieces.push("--mixed", attachment(size, index));
    left -= size;
  }
  return Buffer.from([...pieces, "--mixed--", ""].join("\r\n"));
};
