/** Reads the envelope of an email from its header. */
import { firstAddress } from "./mime/addresses.ts";
import { charsetDecoder, decodeHeaderBytes } from "./mime/charset.ts";
import { parseDate } from "./mime/date.ts";
import { decodeHeaderText, headerValues } from "./mime/header.ts";
import { readEmailHeader } from "./mime/header-block.ts";

/** `sender` and `recipient` are addresses without a display name. A missing header field becomes "" or `null`. */
export type Envelope = {
  subject: string;
  sender: string;
  recipient: string;
  message_id: string;
  date: Date | null;
};

/** Never throws. All text is well-formed Unicode. `message_id` keeps its angle brackets. */
export const readEnvelope = (raw: Uint8Array): Envelope => {
  const header = readEmailHeader(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  const decode = charsetDecoder();
  const first = (name: string): string => headerValues(header, name)[0] ?? "";
  const text = (name: string): string => decodeHeaderText(first(name), decode);
  const address = (...names: string[]) => {
    for (const name of names) {
      for (const value of headerValues(header, name)) {
        const address = firstAddress(decodeHeaderBytes(Buffer.from(value, "latin1")));
        if (address) return address;
      }
    }
    return "";
  };

  return {
    subject: text("subject"),
    sender: address("from", "sender", "return-path"),
    recipient: address("to", "delivered-to", "x-original-to", "cc"),
    message_id: text("message-id"),
    date: parseDate(first("date")),
  };
};
