/** What a function's IAM role allows: these calls, on these item types, and nothing else. */
import type { itemTypes } from "./keys.ts";

export type Permission = {
  readonly call: "GetItem" | "BatchGetItem" | "Query" | "PutItem" | "UpdateItem" | "DeleteItem";
  readonly on: readonly (typeof itemTypes)[keyof typeof itemTypes][];
  /** Limits the call to transactions, so that it can't change an item without the others. */
  readonly within?: "TransactWriteItems";
};
