/**
 * All DynamoDB calls that an operation's function may make: its own, and those for authentication, idempotency and
 * transactions.
 */
import type { Operation } from "../../lib/http/operations.ts";
import { itemTypes } from "../../lib/table/keys.ts";
import type { Permission } from "../../lib/table/permission.ts";

const { apiKey, idempotency } = itemTypes;

const idempotencyNeeds: readonly Permission[] = [
  { call: "GetItem", on: [idempotency] },
  { call: "PutItem", on: [idempotency], within: "TransactWriteItems" },
];

/** After a transaction conflict, `transact` reads the items, and checks the conditions of the writes itself. */
const transactionNeeds = (calls: readonly Permission[]): Permission => ({
  call: "GetItem",
  on: calls.filter(({ within }) => within).flatMap(({ on }) => on),
});

export const permissionsOf = ({ permissions: own, idempotent }: Operation): Permission[] => {
  const calls: Permission[] = [{ call: "GetItem", on: [apiKey] }, ...own];
  if (idempotent) calls.push(...idempotencyNeeds);
  calls.push(transactionNeeds(calls));
  const groups = Map.groupBy(calls, ({ call, within }) => `${call} ${within}`);
  return [...groups.values()].map((group) =>
    Object.assign({}, ...group, { on: [...new Set(group.flatMap(({ on }) => on))] }),
  );
};
