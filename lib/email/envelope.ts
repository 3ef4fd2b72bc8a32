/** Reads sender, recipient, subject and date from the header of an email. */

import { charsetDecoder, type DecodeCharset } from "./charset.ts";
import { parseDate } from "./date.ts";
import { declaredCharsets } from "./declared-charsets.ts";
import { decodeHeaderText, type HeaderField, headerValues } from "./header.ts";
import { addressesIn, firstAddress } from "./header-addresses.ts";
import { readEmailHeader } from "./header-block.ts";
import { contentType } from "./parameters.ts";
import { splitEmail } from "./tree.ts";

/** If a field has no address, a mailer may have encoded or quoted it, or put it into brackets, or not closed these. */
function* addressesOf(header: HeaderField[], names: readonly string[], decode: DecodeCharset): Generator<string> {
  for (const value of names.flatMap((name) => headerValues(header, name))) {
    let isFound = false;
    for (const address of addressesIn(decode.header(Buffer.from(value, "latin1")))) {
      isFound = true;
      yield address;
    }
    if (!isFound) yield* addressesIn(decodeHeaderText(value.replaceAll(/["()[\]]/g, ""), decode));
  }
}

const decoderOf = (raw: Uint8Array, header: HeaderField[]): DecodeCharset => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return charsetDecoder(declaredCharsets(header, () => splitEmail(bytes)?.leaves ?? []));
};

/** Everybody in To and Cc. */
export const readRecipients = (raw: Uint8Array): string[] => {
  const header = readEmailHeader(raw);
  return [...addressesOf(header, ["to", "cc"], decoderOf(raw, header))];
};

/** A mail server notes the recipient, and the sender's own copy has its Bcc. */
const recipientFields = [
  ...["to", "delivered-to", "x-original-to", "cc"],
  ...["envelope-to", "x-envelope-to", "x-delivered-to", "x-rcpt-to", "apparently-to", "x-apparently-to"],
  ...["x-real-to", "x-receiver", "x-forwarded-to", "bcc", "resent-to", "resent-cc", "resent-bcc"],
];

/** Mail servers write `Received: from a by b for <ada@example.com>; Fri, …` (RFC 5321, section 4.4). */
const receivedFor = (header: HeaderField[], decode: DecodeCharset): string => {
  const clauses = headerValues(header, "received").map((value) => /[ \t]for[ \t]+([^;]*)/i.exec(value)?.[1] ?? "");
  return firstAddress(decode.header(Buffer.from(clauses.join(), "latin1")));
};

/** The first occurrence of a header, or "". */
export const readHeader = (raw: Uint8Array, name: string): string =>
  decodeHeaderText(headerValues(readEmailHeader(raw), name.toLowerCase())[0] ?? "", charsetDecoder());

/** Display names are removed from the addresses, but `message_id` keeps its angle brackets. */
export const readEnvelope = (raw: Uint8Array) => {
  const header = readEmailHeader(raw);
  const decode = decoderOf(raw, header);
  const first = (name: string): string => headerValues(header, name)[0] ?? "";
  const text = (name: string): string => decodeHeaderText(first(name), decode);
  const address = (...names: string[]): string => addressesOf(header, names, decode).next().value ?? "";

  return {
    subject: text("subject"),
    sender: address("from", "sender", "return-path"),
    recipient: address(...recipientFields) || receivedFor(header, decode),
    message_id: text("message-id"),
    date: parseDate(text("date")),
  };
};

/** Bounces and automatic replies (RFC 5321, section 4.5.5). */
export const hasNullSender = (raw: Uint8Array): boolean => {
  const header = readEmailHeader(raw);
  return ["return-path", "from"].some((name) => headerValues(header, name).some((value) => /<[ \t]*>$/.test(value)));
};

/** Read receipts (RFC 8098) and delivery reports (RFC 3464) differ only in their report-type. */
export const isDeliveryReport = (raw: Uint8Array): boolean => {
  const { value, parameters } = contentType(readEmailHeader(raw));
  const reportType = parameters.get("report-type")?.bytes.toLowerCase() ?? "delivery-status";
  const isReport = value === "multipart/report" && reportType === "delivery-status";
  return isReport || value === "message/delivery-status" || value === "message/global-delivery-status";
};
