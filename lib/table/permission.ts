/** A function's IAM role allows only the calls that its permissions list. */
import type { itemTypes } from "./keys.ts";

export type Permission = {
  readonly call: "GetItem" | "BatchGetItem" | "Query" | "PutItem" | "UpdateItem" | "DeleteItem";
  readonly on: readonly (typeof itemTypes)[keyof typeof itemTypes][];
  /** The call is allowed only in a transaction, so that a function can't write one item without the others. */
  readonly within?: "TransactWriteItems";
};
