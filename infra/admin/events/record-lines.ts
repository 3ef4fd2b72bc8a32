/** Reads events from JSON Lines files, and records them. */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { applyEvent } from "../../../lib/events/apply-events.ts";
import { type MessageEvent, parseEvent } from "../../../lib/events/event.ts";
import type { Outcome } from "../../../lib/events/outcome.ts";
import { MessageNotStoredYetError } from "../../../lib/events/outcome.ts";
import { RejectedError } from "../../../lib/messages/rejected-error.ts";
import type { Clock } from "../../../lib/table/expiry.ts";
import type { Table } from "../../../lib/table/table.ts";
import { inParallel } from "../../mail/in-parallel.ts";
import type { EmailFolder } from "./email-folder.ts";

/** `source` is the file and the line, such as `events.jsonl:3`. */
export type Recorded = { source: string; bytes: number } & (
  | { event: MessageEvent; outcome: Outcome }
  | { error: unknown }
);

type Line = { source: string; bytes: number; event: MessageEvent; emailBytes: number };

const lineFeed = 0x0a;

/** Node.js's readline would also split at U+2028 and U+2029, which a JSON string may contain. */
async function* splitLines(input: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of input) {
    let bytes = Buffer.from(chunk);
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed)) {
      yield Buffer.concat([...rest, bytes.subarray(0, end)]);
      rest = [];
      bytes = bytes.subarray(end + 1);
    }
    rest.push(bytes);
  }
  yield Buffer.concat(rest);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

const decode = (line: Buffer): string => {
  try {
    return decoder.decode(line);
  } catch {
    throw new RejectedError("it is not UTF-8");
  }
};

async function* linesOf(path: string, standardInput: Readable) {
  const input = path === "-" ? standardInput : createReadStream(path);
  let number = 0;
  for await (const line of splitLines(input)) {
    number++;
    if (/\S/.test(line.toString("latin1"))) yield { source: `${path}:${number}`, line, bytes: line.length + 1 };
  }
}

/**
 * Records several events in parallel. In a file, an event can come before its message, so we try such events again at
 * the end.
 *
 * @param report receives the outcome of each event; a rejected event doesn't stop the others
 * @throws Error if the table fails. You can then record the same files again
 */
export const recordLines = async (
  table: Table,
  paths: string[],
  emails: EmailFolder,
  clock: Clock,
  standardInput: Readable,
  report: (recorded: Recorded) => void,
): Promise<void> => {
  async function* eventsOf(path: string): AsyncGenerator<Line> {
    for await (const { source, line, bytes } of linesOf(path, standardInput)) {
      try {
        const event = parseEvent(decode(line));
        const key = "raw_email" in event ? event.raw_email : null;
        yield { source, bytes, event, emailBytes: key === null ? 0 : await emails.size(key) };
      } catch (error) {
        report({ source, bytes, error });
      }
    }
  }

  async function* events(): AsyncGenerator<Line> {
    for (const path of paths) {
      try {
        yield* eventsOf(path);
      } catch (error) {
        report({ source: path, bytes: 0, error });
      }
    }
  }

  const early: Line[] = [];
  const record = async (line: Line, isLast: boolean): Promise<void> => {
    const { source, bytes, event } = line;
    try {
      report({ source, bytes, event, outcome: await applyEvent(table, event, emails.read, clock()) });
    } catch (error) {
      const isEarly = error instanceof MessageNotStoredYetError;
      if (isEarly && !isLast) early.push(line);
      else if (isEarly || error instanceof RejectedError) report({ source, bytes, error });
      else throw error;
    }
  };
  const memory = ({ emailBytes }: Line): number => emailBytes;
  await inParallel(events(), memory, (line) => record(line, false));
  await inParallel(early, memory, (line) => record(line, true));
};
