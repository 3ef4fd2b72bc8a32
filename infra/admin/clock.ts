/**
 * The table's own time. An operator's clock may be wrong by days, and the keys, expiries and deletions of a command with
 * such a clock would be, too. So each command asks the table first: a response's `Date` header has its time.
 */
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Clock } from "../../lib/table/expiry.ts";
import { itemTypes } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { uptimeMs } from "../../lib/time/clock.ts";
import type { Shell } from "./command.ts";

/** A clock that is off by less is used as it is, because the header has no fractions of a second. */
const headerMs = 1000;

const announcedMs = 60_000;

type Dated = { response: { headers: Record<string, string> } };

/** After a slow response, we don't know when the table wrote the date, so we ask again, a few times. */
const fastMs = 1000;
const attempts = 5;

/**
 * Reads an item that doesn't exist, for half a read unit. Whoever may read only messages may read it, too. Returns the
 * response's `Date`, in milliseconds.
 */
const askTable = async ({ client, name: TableName }: Table): Promise<number> => {
  let date = "";
  const command = new GetCommand({ TableName, Key: { pk: `${itemTypes.message}CLOCK`, sk: "CLOCK" } });
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result as unknown as Dated).response.headers.date ?? "";
      return result;
    },
    { step: "deserialize", priority: "high" },
  );
  await client.send(command);
  return Date.parse(date);
};

const spanOf = (ms: number): string => {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / (24 * 60))} days`;
};

/** Returns a clock that goes on from the table's time, and tells the operator if the machine's clock differs from it. */
export const clockOf = async (shell: Pick<Shell, "warn">, table: Table): Promise<Clock> => {
  let [sentAt, before, date, after] = [0, 0, 0, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < attempts && after - before > fastMs; attempt++) {
    [sentAt, before] = [uptimeMs(), Date.now()];
    date = await askTable(table);
    after = Date.now();
  }
  const isRight = before < date + headerMs && date <= after;
  const offset = isRight || Number.isNaN(date) ? 0 : date + headerMs / 2 - (before + after) / 2;
  if (Math.abs(offset) > announcedMs) {
    const direction = offset < 0 ? "ahead" : "behind";
    shell.warn(`The clock of this machine is ${spanOf(offset)} ${direction}. The command uses the table's time`);
  }
  const origin = before + offset - sentAt;
  return () => Math.round(origin + uptimeMs());
};
