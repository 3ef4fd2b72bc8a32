/** `import-message`: stores emails from files, with what their headers say of them. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { readEnvelope } from "../../lib/messages/envelope.ts";
import type { NewMessage } from "../../lib/messages/message.ts";
import { storeMessage } from "../../lib/messages/store.ts";
import { explain, openTableOf, print, UsageError, uuidOption } from "./command.ts";

const day = 24 * 60 * 60 * 1000;
const defaultRetentionDays = 30;

const retention = (until: string | undefined, days: string | undefined, now: number): Date => {
  if (until !== undefined && days !== undefined) {
    throw new UsageError("--retain-until and --retain-days exclude each other");
  }
  if (until === undefined) {
    const count = Number(days ?? defaultRetentionDays);
    if (!Number.isInteger(count) || count < 1 || count > 36_500) {
      throw new UsageError(`--retain-days takes a number of days from 1 to 36500, not ${days}`);
    }
    return new Date(now + count * day);
  }
  const time = new Date(until);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--retain-until takes a date such as 2027-01-31, not ${until}`);
  if (time.getTime() <= now)
    throw new UsageError(`--retain-until takes a date that is to come, not ${until}`);
  return time;
};

const directionOf = (text: string): NewMessage["direction"] => {
  if (text === "incoming" || text === "outgoing") return text;
  throw new UsageError(`--direction takes incoming or outgoing, not ${text}`);
};

/** What the headers say of the message. */
const readFields = (raw: Buffer) => {
  const { date, ...fields } = readEnvelope(raw);
  if (!fields.sender) throw new Error("its headers name no sender");
  if (!fields.recipient) throw new Error("its headers name no recipient");
  return { ...fields, sent_at: date };
};

export const usage =
  "import-message --account UUID --domain UUID [--direction incoming|outgoing] " +
  "[--retain-until DATE | --retain-days N] [--tag TAG …] [--status TEXT] [--local] [--json] FILE …";

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals: files } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      account: { type: "string" },
      domain: { type: "string" },
      direction: { type: "string", default: "outgoing" },
      "retain-until": { type: "string" },
      "retain-days": { type: "string" },
      tag: { type: "string", multiple: true, default: [] },
      status: { type: "string" },
      local: { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  const now = Date.now();
  const direction = directionOf(values.direction);
  const common = {
    account_id: uuidOption("account", values.account),
    domain_id: uuidOption("domain", values.domain),
    direction,
    tags: values.tag,
    status: values.status ?? (direction === "incoming" ? "received" : "sent"),
    retain_until: retention(values["retain-until"], values["retain-days"], now),
  };
  if (files.length === 0) throw new UsageError(`No file is named: ${usage}`);
  const table = openTableOf(values);

  let status = 0;
  for (const file of files) {
    try {
      const raw = file === "-" ? await buffer(process.stdin) : await readFile(file);
      const message = { ...common, ...readFields(raw), id: randomUUID() };
      await storeMessage(table, message, raw, now);
      const { id, message_id, account_id } = message;
      print(values.json, { id, file, message_id, account_id }, `${id}  ${file}`);
    } catch (error) {
      console.error(`${file}: ${explain(error as Error)}`);
      status = 1;
    }
  }
  return status;
};
