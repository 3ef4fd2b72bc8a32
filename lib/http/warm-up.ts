/** Each function's module exports `handler` and `warmUp`; `warmUp` runs in Lambda's init phase. */
import { getItem } from "../table/get.ts";
import { apiKeyKey } from "../table/keys.ts";
import { openTable, type Table } from "../table/table.ts";
import type { ApiHandler } from "./delivery.ts";

/** Opens the connection to DynamoDB, by reading an API key that doesn't exist. */
export const lambdaFunction = (createHandler: (table: Table) => ApiHandler) => {
  const table = openTable();
  const warmUp = (on: Table = table): Promise<unknown> =>
    getItem(on, apiKeyKey(""), { consistent: true, abortSignal: AbortSignal.timeout(500) }).catch(() => {});
  return { handler: createHandler(table), warmUp };
};
