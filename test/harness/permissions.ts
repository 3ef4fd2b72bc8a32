/** Reads a function's permissions from the stack's template, and enforces them on a table. */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { Template } from "aws-cdk-lib/assertions";
import { interceptedTable } from "./intercepted-table.ts";
import { table } from "./service.ts";
import { nameIn, ofType, type Reference, type Resource } from "./synthesise.ts";

/** A permission of a role and a call, in the terms of IAM. `within` is the enclosing operation. */
export type Permission = { action: string; prefix: string; within: string | undefined };
export type Call = { action: string; key: string; within?: string | undefined };

/** Returns a function's permissions on the table. */
export const rolePermissions = (template: Template, { Properties: { Role } }: Resource): Permission[] =>
  ofType(template, "AWS::IAM::Policy")
    .filter(({ Properties }) => Properties.Roles.some((of: Reference) => nameIn(of) === nameIn(Role)))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(({ Condition }) => Condition)
    .flatMap(({ Action, Condition }) =>
      [Action].flat().flatMap((action) =>
        Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"].map((pattern: string) => ({
          action,
          prefix: pattern.replace(/\*$/, ""),
          within: Condition["ForAnyValue:StringEquals"]?.["dynamodb:EnclosingOperation"][0],
        })),
      ),
    );

/** Returns the permission that a call needs. A permission for transactions only is preferred. */
export const permissionFor = (
  permissions: readonly Permission[],
  { action, key, within }: Call,
): Permission | undefined => {
  const granting = permissions.filter((one) => one.action === action && key.startsWith(one.prefix));
  return granting.find((one) => one.within === within) ?? granting.find((one) => !one.within);
};

type Keyed = { Key?: { pk: string }; Item?: { pk: string } };
type Input = Keyed & {
  ExpressionAttributeValues?: { ":pk": string };
  RequestItems?: Record<string, { Keys: { pk: string }[] }>;
  TransactItems?: Record<string, Keyed>[];
};

const keyOf = ({ Key, Item }: Keyed): string | undefined => Key?.pk ?? Item?.pk;

/**
 * Returns the calls that IAM checks. AWS does not document which keys belong to an action of a transaction, so each
 * action of a transaction is checked with every key of the transaction.
 *
 * @param command the SDK's name of a command, such as `GetCommand`
 */
const callsOf = (command: string, input: Input): Call[] => {
  const { TransactItems, RequestItems = {}, ExpressionAttributeValues } = input;
  if (!TransactItems) {
    const ofBatch = Object.values(RequestItems).flatMap(({ Keys }) => Keys.map(({ pk }) => pk));
    const keys = ofBatch.length > 0 ? ofBatch : [keyOf(input) ?? ExpressionAttributeValues?.[":pk"] ?? ""];
    return keys.map((key) => ({
      action: `dynamodb:${command.replace(/(Query|Scan)?Command$/, (_, name = "Item") => name)}`,
      key,
    }));
  }
  const writes = TransactItems.flatMap((item) => Object.entries(item));
  return writes.flatMap(([action]) =>
    writes.map(([, write]) => ({
      action: `dynamodb:${action}Item`,
      key: keyOf(write) ?? "",
      within: "TransactWriteItems",
    })),
  );
};

/** Returns the test's table. The table rejects each call that the permissions do not allow. */
export const guard = (permissions: readonly Permission[]) => {
  const used = new Set<Permission>();
  let conflicts = 0;
  const guarded = interceptedTable(table, ({ constructor: { name }, input }, proceed) => {
    for (const call of callsOf(name, input as Input)) {
      const permission = permissionFor(permissions, call);
      if (!permission) throw new Error(`AccessDenied: ${call.action} on ${call.key}`);
      used.add(permission);
    }
    const { TransactItems } = input as Input;
    if (TransactItems && conflicts-- > 0) {
      const CancellationReasons = TransactItems.map(() => ({ Code: "TransactionConflict" }));
      throw new TransactionCanceledException({ $metadata: {}, message: "conflict", CancellationReasons });
    }
    return proceed();
  });
  return {
    table: guarded,
    /** Makes the next transaction fail with a conflict. */
    conflict: () => {
      conflicts = 1;
    },
    unused: () => permissions.filter((permission) => !used.has(permission)),
  };
};
