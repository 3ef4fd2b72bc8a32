/** Permissions on the table: a function's role allows these calls on these item types, and no others. */
import type { itemTypes } from "./keys.ts";

export type Permission = {
  readonly call: "GetItem" | "Query" | "PutItem" | "UpdateItem" | "DeleteItem";
  readonly on: readonly (typeof itemTypes)[keyof typeof itemTypes][];
  /** Allows the call only as part of this call. */
  readonly within?: "TransactWriteItems";
};
