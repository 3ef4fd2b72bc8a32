/** What an email's own header says of it: who sent it to whom, about what, when. */
import { addressParser } from "postal-mime";
import { decodeHeaderText, type HeaderField, headerValue } from "./mime/header.ts";
import { readEmailHeader } from "./mime/tree.ts";

/** `sender` and `recipient` are bare addresses; "" and null stand for what the header does not say. */
export type Envelope = {
  subject: string;
  sender: string;
  recipient: string;
  message_id: string;
  date: Date | null;
};

/**
 * Reads the envelope of an email: the first address of From, else Sender, else Return-Path; the first of To,
 * else Delivered-To, X-Original-To or Cc. `message_id` is the header's value, angle brackets included. The
 * date is null where there is none that can be read. Never throws.
 */
export const readEnvelope = (raw: Uint8Array): Envelope => {
  const header = readEmailHeader(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  return {
    subject: decodeHeaderText(headerValue(header, "subject")),
    sender: firstAddress(header, ["from", "sender", "return-path"]),
    recipient: firstAddress(header, ["to", "delivered-to", "x-original-to", "cc"]),
    message_id: decodeHeaderText(headerValue(header, "message-id")),
    date: parseDate(headerValue(header, "date")),
  };
};

const firstAddress = (header: HeaderField[], names: string[]): string => {
  for (const name of names) {
    // Encoded words stay encoded: a display name may hold commas and angle brackets once decoded.
    const list = Buffer.from(headerValue(header, name), "latin1").toString("utf8");
    const found = addressParser(list, { flatten: true }).find(({ address }) => address?.includes("@"));
    if (found?.address) return found.address;
  }
  return "";
};

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** RFC 5322, section 4.3. Other names say nothing certain and count as UTC, as the section asks. */
const zones: Record<string, number> = {
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
};

const dateTime =
  /^(?:[a-z]+\.?,?[ \t]*)?(\d{1,2})[ \t-]+([a-z]{3})[a-z]*[ \t-]+(\d{2,4})[ \t]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?[ \t]*(?:(?:gmt|utc?)?([+-])(\d{2}):?(\d{2})|([a-z]+))?[ \t]*(?:\(|$)/i;

/** `Tue, 20 Nov 2026 13:00:00 +0100 (CET)`. Date.parse won't do: it makes a date of almost any text. */
const parseDate = (text: string): Date | null => {
  const match = dateTime.exec(text);
  if (!match) return null;
  const [, day, monthName = "", year = "", hour, minute, second, sign, zoneHours, zoneMinutes, zone = ""] =
    match;
  const month = months.indexOf(monthName.toLowerCase());
  const offset = sign
    ? Number(`${sign}1`) * (Number(zoneHours) * 60 + Number(zoneMinutes))
    : (zones[zone.toLowerCase()] ?? 0) * 60;
  // A leap second is the first of the next minute.
  const local = new Date(
    Date.UTC(fullYear(year), month, Number(day), Number(hour), Number(minute), Number(second ?? 0)),
  );
  const isReal = month >= 0 && Number(hour) < 24 && Number(minute) < 60 && Number(second ?? 0) <= 60;
  const isInMonth = new Date(Date.UTC(fullYear(year), month, Number(day))).getUTCMonth() === month;
  return isReal && isInMonth ? new Date(local.getTime() - offset * 60_000) : null;
};

/** RFC 5322, section 4.3: two digits below 50 are of this century, three count from 1900. */
const fullYear = (digits: string): number => {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 50 && digits.length === 2 ? 2000 + year : 1900 + year;
};
