/** Permissions on the table. A function's IAM role allows only the listed calls on the listed item types. */
import type { itemTypes } from "./keys.ts";

export type Permission = {
  readonly call: "GetItem" | "BatchGetItem" | "Query" | "PutItem" | "UpdateItem" | "DeleteItem";
  readonly on: readonly (typeof itemTypes)[keyof typeof itemTypes][];
  /** If set, the function may make this DynamoDB call only inside a transaction. */
  readonly within?: "TransactWriteItems";
};
