/** Records events of files, one JSON event a line, as the function that takes from the queue does. */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { EventRejectedError, type MessageEvent, parseEvent } from "../../../lib/intake/event.ts";
import { MessageNotStoredYetError, type Outcome, recordEvent } from "../../../lib/intake/record-event.ts";
import {
  MessageRejectedError,
  maximumRawBytes,
  rejectTooLarge,
} from "../../../lib/messages/store-message.ts";
import type { Clock } from "../../../lib/table/expiry.ts";
import type { Table } from "../../../lib/table/table.ts";
import { inParallel } from "../../mail/in-parallel.ts";
import type { EmailFolder } from "./email-folder.ts";

/** What became of one line. `source` is its file and number. */
export type Recorded = { source: string; bytes: number } & (
  | { event: MessageEvent; outcome: Outcome }
  | { error: Error }
);

type Line = { source: string; bytes: number; event: MessageEvent; emailBytes: number };

/** JSON may have U+2028 and U+2029 in a text, which Node.js's readline takes for the end of a line. */
async function* splitLines(input: Readable): AsyncGenerator<string> {
  let begun = "";
  for await (const text of input.setEncoding("utf8")) {
    const [end = "", ...lines] = (text as string).split("\n");
    begun += end;
    for (const line of lines) {
      yield begun;
      begun = line;
    }
  }
  yield begun;
}

async function* linesOf(path: string, standardInput: Readable) {
  const input = path === "-" ? standardInput : createReadStream(path);
  let number = 0;
  for await (const text of splitLines(input)) {
    number++;
    if (text.trim() !== "") yield { source: `${path}:${number}`, text, bytes: Buffer.byteLength(text) + 1 };
  }
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof EventRejectedError || error instanceof MessageRejectedError;

/**
 * Records every event of the files, many at a time, and tells `hear` of each. An event that can't be recorded is
 * told of, and the others are recorded all the same. One that comes before its message has another turn when all
 * others have had theirs.
 *
 * @throws Error when a file can't be read or the table fails: what has been recorded stays, and the same files can be
 * recorded again.
 */
export const recordLines = async (
  table: Table,
  paths: string[],
  emails: EmailFolder,
  clock: Clock,
  standardInput: Readable,
  hear: (recorded: Recorded) => void,
): Promise<void> => {
  const readEmail = async (key: string): Promise<Buffer> => {
    rejectTooLarge(await emails.size(key));
    return emails.read(key);
  };

  async function* eventsOf(path: string): AsyncGenerator<Line> {
    for await (const { source, text, bytes } of linesOf(path, standardInput)) {
      try {
        const event = parseEvent(text);
        const key = event.type === "message.stored" ? event.raw_email : null;
        yield { source, bytes, event, emailBytes: key === null ? 0 : await emails.size(key) };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        hear({ source, bytes, error });
      }
    }
  }

  async function* events(): AsyncGenerator<Line> {
    for (const path of paths) {
      try {
        yield* eventsOf(path);
      } catch (error) {
        hear({ source: path, bytes: 0, error: error as Error });
      }
    }
  }

  const early: Line[] = [];
  const record = async (line: Line, isLast: boolean): Promise<void> => {
    const { source, bytes, event } = line;
    try {
      hear({ source, bytes, event, outcome: await recordEvent(table, event, readEmail, clock()) });
    } catch (error) {
      if (error instanceof MessageNotStoredYetError && !isLast) early.push(line);
      else if (error instanceof MessageNotStoredYetError || isRefusal(error)) hear({ source, bytes, error });
      else throw error;
    }
  };
  const weight = ({ emailBytes }: Line): number => Math.min(emailBytes, maximumRawBytes);
  await inParallel(events(), weight, (line) => record(line, false));
  await inParallel(early, weight, (line) => record(line, true));
};
