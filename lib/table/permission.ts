/** A function's IAM role allows only the calls that its permissions list. */
import type { itemTypes } from "./keys.ts";

export type Permission = {
  readonly call: "GetItem" | "Query" | "PutItem" | "UpdateItem" | "DeleteItem";
  readonly on: readonly (typeof itemTypes)[keyof typeof itemTypes][];
  /** IAM allows this call only as part of a transaction. */
  readonly within?: "TransactWriteItems";
};
