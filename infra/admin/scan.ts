/** Reads a whole table, for commands that search all accounts. No request of the API scans the table. */
import { DescribeTableCommand, type TableDescription } from "@aws-sdk/client-dynamodb";
import { type NativeAttributeValue, ScanCommand, type ScanCommandInput } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "../../lib/table/keys.ts";
import { isThrottled, retry } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { showProgress } from "../cli/progress.ts";
import { UserError } from "../cli/user-error.ts";
import { report, type Shell } from "./command.ts";

/** Eight parallel scans leave most of the table's capacity to the API's callers. */
const parallelScans = 8;

/** DynamoDB bills eventually consistent reads at half a read unit per 4 KB, so one unit reads 8 KB. */
const bytesPerUnit = 8 * 1024;
const dollarsPerUnit = 0.125e-6;
export const scanPrice = "$0.016 per GB, at the list price of us-east-1";

/** @throws UserError if there is no such table */
export const describeTable = async ({ client, name: TableName }: Table): Promise<TableDescription> => {
  try {
    const { Table: found } = await client.send(new DescribeTableCommand({ TableName }));
    return found ?? {};
  } catch (error) {
    if (!(error instanceof Error && error.name === "ResourceNotFoundException")) throw error;
    throw new UserError(`There is no table named ${TableName}`);
  }
};

/** Prints the price before the scan starts. AWS updates the size of a table only every six hours or so. */
export const announceScan = (
  shell: Shell,
  json: true | undefined,
  { name }: Table,
  { TableSizeBytes: bytes = 0, ItemCount: items = 0 }: TableDescription,
): void => {
  const scan_dollars = Number(((bytes / bytesPerUnit) * dollarsPerUnit).toFixed(4));
  const price = scan_dollars < 0.01 ? "less than a cent" : `$${scan_dollars.toFixed(2)}`;
  const size = `${(bytes / 1024 ** 3).toFixed(3)} GB in ${items.toLocaleString("en")} items at AWS's last count`;
  report(shell, json, { table: name, bytes, items, scan_dollars }, `${name}: ${size}. Reading it costs ${price}`);
};

type Options = Pick<ScanCommandInput, "FilterExpression" | "ExpressionAttributeValues"> & {
  /** The attributes to read, in addition to the item's keys. */
  only: string[];
  /** The table's size. */
  bytes: number | undefined;
};

/** Turns a reader of one item into a reader of a page. */
export const itemByItem =
  <Item, Result>(read: (item: Item) => Promise<Result[]>) =>
  async (items: Item[]): Promise<Result[]> => {
    const results: Result[] = [];
    for (const item of items) results.push(...(await read(item)));
    return results;
  };

/**
 * Calls `read` with the items of each page that pass the filter. Don't delete items during a scan, because the embedded DynamoDB
 * would then end the scan too early.
 *
 * @throws the first error of `read` or of the table
 */
export const scanTable = async <Stored extends object, Result>(
  { terminal }: Shell,
  table: Table,
  { only, bytes = 0, ...filter }: Options,
  read: (items: (ItemKey & Stored)[]) => Promise<Result[]>,
): Promise<Result[]> => {
  const progress = showProgress(terminal, "pages", bytes);
  const results: Result[] = [];
  const names = ["pk", "sk", ...only];
  let hasFailed = false;
  const readSegment = async (Segment: number): Promise<void> => {
    let from: Record<string, NativeAttributeValue> | undefined;
    do {
      const command = new ScanCommand({
        TableName: table.name,
        ...filter,
        ProjectionExpression: names.map((name) => `#${name}`).join(", "),
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        Segment,
        TotalSegments: parallelScans,
        ExclusiveStartKey: from,
        ReturnConsumedCapacity: "TOTAL",
      });
      const {
        Items = [],
        LastEvaluatedKey,
        ConsumedCapacity,
      } = await retry(() => table.client.send(command), {
        isRetryable: isThrottled,
        deadline: Number.POSITIVE_INFINITY,
      });
      results.push(...(await read(Items as (ItemKey & Stored)[])));
      progress.add((ConsumedCapacity?.CapacityUnits ?? 0) * bytesPerUnit);
      from = LastEvaluatedKey;
    } while (from && !hasFailed);
  };
  const reads = Array.from({ length: parallelScans }, (_, segment) =>
    readSegment(segment).catch((error) => {
      hasFailed = true; // The other scans stop after their current page.
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(reads).finally(progress.end);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return results;
};
