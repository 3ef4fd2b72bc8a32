/** Runs in a worker: 25 MB of content would freeze the page, so the page gets only what it shows. */
import type { ParsedContent } from "../../../lib/email/parsed-email.ts";
import type { Structure } from "../served.ts";
import { bytesOf, excerptCharacters, shownOf, sizeOf, textOf, wholeCharacters } from "./excerpt.ts";
import { addressOfData, type MessageRequest, request, requestJson } from "./request.ts";
import { type PartView, type View, viewOf } from "./view.ts";

type Email = { parsed: ParsedContent; structure: Structure | null };
type Indexed = { index: number };

let raw: string | null = null;
/** The message's email, and behind it each attached email that the reader has opened. */
const emails: Email[] = [];

const topEmail = (): ParsedContent => {
  const email = emails.at(-1);
  if (!email) throw new Error("The content isn't loaded.");
  return email.parsed;
};
const partAt = (index: number) => topEmail().parts[index]?.content ?? "";
const attachmentAt = (index: number) => topEmail().attachments[index]?.content ?? "";
const topView = (): View => {
  const email = emails.at(-1);
  if (!email) throw new Error("The content isn't loaded.");
  return viewOf(email.parsed, email.structure);
};

const rawOf = async (message: MessageRequest): Promise<string | null> => {
  raw ??= (await requestJson<{ content: string | null }>(addressOfData("content", message), message.key)).content;
  return raw;
};

const actions = {
  async content({ message }: { message: MessageRequest }) {
    const url = addressOfData("parsed", message);
    const { content_parsed: parsed } = await requestJson<{ content_parsed: ParsedContent | null }>(url, message.key);
    if (!parsed) {
      const missing =
        (await rawOf(message)) === null
          ? "The content isn't there: it was removed, or this message never had any."
          : "The content can't be parsed, because it exceeds a limit of the parser. Below is the raw email.";
      return { missing };
    }
    const { parts, attachments } = parsed;
    const hasPicture = attachments.some(({ content_type }) => /^image/.test(content_type));
    const canReplace = parts.length > 1 || (parts.length > 0 && hasPicture);
    const structure = canReplace
      ? await requestJson<Structure | null>(addressOfData("structure", message), message.key).catch(() => null)
      : null;
    emails.push({ parsed, structure });
    return { view: topView() };
  },
  async open({ index, key }: Indexed & { key: string }): Promise<View> {
    const body = bytesOf(attachmentAt(index));
    const response = await request(`${location.origin}/messages/attached`, key, { method: "POST", body });
    const { content_parsed, structure } = await response.json();
    if (content_parsed === null) {
      throw new Error("This attached email exceeds a limit of the parser. Download it instead.");
    }
    emails.push({ parsed: content_parsed, structure });
    return topView();
  },
  back(): View {
    emails.pop();
    return topView();
  },
  text({ index }: Indexed): PartView {
    const content = attachmentAt(index);
    const text = textOf(content, wholeCharacters);
    const size = sizeOf(content);
    return {
      content_type: "text/plain",
      content: shownOf(text),
      length: size > wholeCharacters * 3 ? size : text.length,
    };
  },
  async raw({ message }: { message: MessageRequest }) {
    const content = await rawOf(message);
    return content === null ? null : { content: content.slice(0, excerptCharacters), length: content.length };
  },
  partFile: ({ index }: Indexed) => new Blob([partAt(index)]),
  // A blob without a type, so that no browser opens the file as a page.
  attachmentFile: ({ index }: Indexed) => new Blob([bytesOf(attachmentAt(index))]),
};
export type Actions = typeof actions;
export type Asked = { action: keyof Actions; port: MessagePort };

self.onmessage = async ({ data: { action, port, ...input } }: MessageEvent<Asked>) => {
  const run = actions[action] as (input: object) => unknown;
  port.postMessage(
    await Promise.resolve(input)
      .then(run)
      .catch(({ message }) => ({ error: message })),
  );
};
