/** Names of files, and buttons that save them. */

import { visible } from "../../cli/visible.ts";
import { ask } from "./ask.ts";
import { button, element, say } from "./dom.ts";
import { addressOfData, type MessageRequest, request } from "./request.ts";

const extensions: Record<string, string> = {
  "text/plain": "txt",
  "text/calendar": "ics",
  "message/rfc822": "eml",
  "message/delivery-status": "txt",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "application/octet-stream": "bin",
  "text/rfc822-headers": "txt",
};

export const extensionOf = (type: string): string =>
  extensions[type] ?? /^(?:image|text|application)\/(?:x-)?([a-z\d]{2,5})$/.exec(type)?.[1] ?? "bin";

export const fileName = (text: string): string =>
  visible(text)
    .replace(/[/\\:*?"<>|\r\n\t]+/g, "_")
    .trim()
    .slice(0, 100);

const secondsUntilRevoked = 60;

export const save = (file: Blob, name: string): void => {
  const href = URL.createObjectURL(file);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), secondsUntilRevoked * 1000);
};

export const download = (name: string, action: "partFile" | "attachmentFile", index: number): HTMLButtonElement =>
  button("Download", async () => save(await ask(action, { index }), name), { ariaLabel: `Download ${name}` });

/** Saves the email as the bytes that were stored. */
export const saveEml = async (message: MessageRequest, subject: string): Promise<void> => {
  try {
    const response = await request(addressOfData("raw", message), message.key);
    save(await response.blob(), `${fileName(subject) || "email"}.eml`);
  } catch (error) {
    say((error as Error).message, "bad");
  }
};
