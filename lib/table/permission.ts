/** A function's IAM role allows only the calls that its permissions list. */
import type { itemTypes } from "./keys.ts";

export type Permission = {
  readonly call: "GetItem" | "BatchGetItem" | "Query" | "PutItem" | "UpdateItem" | "DeleteItem";
  readonly on: readonly (typeof itemTypes)[keyof typeof itemTypes][];
  /** IAM allows this call only inside a transaction, so that no bug can make the write on its own. */
  readonly within?: "TransactWriteItems";
};
