/** Reads a function's permissions from the stack's template, and enforces them on a table. */
import { DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Template } from "aws-cdk-lib/assertions";
import type { Table } from "../../lib/table/table.ts";
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
 * @param command the SDK's name of a command, such as `GetItemCommand`
 */
const callsOf = (command: string, input: Input): Call[] => {
  const { TransactItems, RequestItems = {}, ExpressionAttributeValues } = input;
  if (!TransactItems) {
    const ofBatch = Object.values(RequestItems).flatMap(({ Keys }) => Keys.map(({ pk }) => pk));
    const keys = ofBatch.length > 0 ? ofBatch : [keyOf(input) ?? ExpressionAttributeValues?.[":pk"] ?? ""];
    return keys.map((key) => ({ action: `dynamodb:${command.replace(/Command$/, "")}`, key }));
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
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(), {
    marshallOptions: { removeUndefinedValues: true },
  });
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const input = args.input as Input;
        for (const call of callsOf(commandName, input)) {
          const permission = permissionFor(permissions, call);
          if (!permission) throw new Error(`AccessDenied: ${call.action} on ${call.key}`);
          used.add(permission);
        }
        if (input.TransactItems && conflicts-- > 0) {
          throw new TransactionCanceledException({
            $metadata: {},
            message: "conflict",
            CancellationReasons: input.TransactItems.map(() => ({ Code: "TransactionConflict" })),
          });
        }
        return next(args);
      },
    { step: "initialize" },
  );
  const guarded: Table = { name: table.name, client };
  return {
    table: guarded,
    /** Makes the next transaction fail with a conflict. */
    conflict: () => {
      conflicts = 1;
    },
    unused: () => permissions.filter((permission) => !used.has(permission)),
  };
};
