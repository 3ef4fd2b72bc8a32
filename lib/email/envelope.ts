/** Reads sender, recipient, subject and date from the header of an email. */

import { charsetDecoder, decodeHeaderBytes } from "./charset.ts";
import { parseDate } from "./date.ts";
import { decodeHeaderText, type HeaderField, headerValues } from "./header.ts";
import { addressesIn } from "./header-addresses.ts";
import { readEmailHeader } from "./header-block.ts";
import { contentType } from "./parameters.ts";

function* addressesOf(header: HeaderField[], names: readonly string[]): Generator<string> {
  const values = names.flatMap((name) => headerValues(header, name));
  for (const value of values) yield* addressesIn(decodeHeaderBytes(Buffer.from(value, "latin1")));
}

/** Everybody in To and Cc. */
export const readRecipients = (raw: Uint8Array): string[] => [...addressesOf(readEmailHeader(raw), ["to", "cc"])];

/** The first occurrence of a header, or "". */
export const readHeader = (raw: Uint8Array, name: string): string =>
  decodeHeaderText(headerValues(readEmailHeader(raw), name.toLowerCase())[0] ?? "", charsetDecoder());

/** Display names are removed from the addresses, but `message_id` keeps its angle brackets. */
export const readEnvelope = (raw: Uint8Array) => {
  const header = readEmailHeader(raw);
  const decode = charsetDecoder();
  const first = (name: string): string => headerValues(header, name)[0] ?? "";
  const text = (name: string): string => decodeHeaderText(first(name), decode);
  const address = (...names: string[]): string => addressesOf(header, names).next().value ?? "";

  return {
    subject: text("subject"),
    sender: address("from", "sender", "return-path"),
    recipient: address("to", "delivered-to", "x-original-to", "cc"),
    message_id: text("message-id"),
    date: parseDate(first("date")),
  };
};

/** Read receipts (RFC 8098) and delivery reports (RFC 3464) differ only in their report-type. */
export const isDeliveryReport = (raw: Uint8Array): boolean => {
  const { value, parameters } = contentType(readEmailHeader(raw));
  const reportType = parameters.get("report-type")?.bytes.toLowerCase() ?? "delivery-status";
  const isReport = value === "multipart/report" && reportType === "delivery-status";
  return isReport || value === "message/delivery-status" || value === "message/global-delivery-status";
};
