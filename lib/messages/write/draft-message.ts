/** A valid message that isn't stored yet. */
import { createHash } from "node:crypto";
import { addressDomain } from "../../addresses/address.ts";
import { epochSeconds } from "../../table/expiry.ts";
import { personKey } from "../../table/keys.ts";
import type { Compressed } from "../content/compression.ts";
import { compressContent } from "../content/render-content.ts";
import type { ContentFields, Head } from "../head.ts";
import { NewMessage } from "../new-message.ts";
import { RejectedError, validate } from "../rejected-error.ts";

export const maximumRawBytes = 40 * 1024 * 1024;

export const rejectTooLarge = (rawBytes: number): void => {
  if (rawBytes <= maximumRawBytes) return;
  throw new RejectedError(`the email has ${rawBytes} bytes, but at most ${maximumRawBytes} (40 MiB) are stored`);
};

/** The email is parsed and compressed only when `content` is called. */
export type Draft = {
  head: Omit<Head, keyof ContentFields>;
  content: () => Promise<Compressed>;
  /** Further addresses by which the message is found: other recipients of an imported email. */
  others?: readonly string[];
};

export const digestOfEmail = (raw: Uint8Array | null): string =>
  raw ? createHash("sha256").update(raw).digest("hex") : "";

const contentOf = (raw: Uint8Array | null): Draft["content"] => {
  let content: Promise<Compressed> | undefined;
  return () => {
    content ??= compressContent(raw);
    return content;
  };
};

/** @throws RejectedError if the email is too large, or a field is wrong */
export const draftMessage = (message: NewMessage, raw: Uint8Array | null, now: number): Draft => {
  rejectTooLarge(raw?.length ?? 0);
  const fields = validate(NewMessage, message);
  const { direction, sender, recipient } = fields;
  const [own, other] = direction === "incoming" ? [recipient, sender] : [sender, recipient];
  const created_at = new Date(now).toISOString();
  const expires_at = epochSeconds(Date.parse(fields.retain_until));
  const head = {
    ...fields,
    domain: addressDomain(own) ?? "",
    ...(!fields.is_bounce_notification && { person: personKey(other) }),
    created_at,
    updated_at: created_at,
    retain_until: new Date(expires_at * 1000).toISOString(),
    num_attempts: 0,
    click_count: 0,
    open_count: 0,
    expires_at,
    digest: digestOfEmail(raw),
  };
  return { head, content: contentOf(raw) };
};

/** The email of a message that was stored without it. */
export const draftContent = (head: Head, raw: Uint8Array, now: number): Draft => {
  rejectTooLarge(raw.length);
  const updated_at = new Date(now).toISOString();
  return { head: { ...head, digest: digestOfEmail(raw), updated_at }, content: contentOf(raw) };
};
