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
export const permissionsOf = (template: Template, { Properties: { Role } }: Resource): Permission[] =>
  ofType(template, "AWS::IAM::Policy")
    .filter(({ Properties }) => Properties.Roles.some((of: Reference) => nameIn(of) === nameIn(Role)))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(({ Condition }) => Condition)
    .flatMap(({ Action, Condition }) =>
      Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"].map((pattern: string) => ({
        action: Action,
        prefix: pattern.replace(/\*$/, ""),
        within: Condition["ForAnyValue:StringEquals"]?.["dynamodb:EnclosingOperation"][0],
      })),
    );

/** Returns the permission that allows a call, or `undefined`. */
export const permissionFor = (
  permissions: readonly Permission[],
  { action, key, within }: Call,
): Permission | undefined =>
  permissions.find(
    (one) => one.action === action && key.startsWith(one.prefix) && (!one.within || one.within === within),
  );

type Put = { Item: { pk: string } };
type Write = { Put: Put; Update?: never } | { Put?: never; Update: { Key: { pk: string } } };
type Input = Partial<Put> & {
  Key?: { pk: string };
  ExpressionAttributeValues?: { ":pk": string };
  TransactItems?: Write[];
};

/** @param command the SDK's name of a command, such as `GetItemCommand` */
const callsOf = (command: string, { TransactItems, Key, Item, ExpressionAttributeValues }: Input): Call[] => {
  const within = "TransactWriteItems";
  const single = {
    action: `dynamodb:${command.replace(/Command$/, "")}`,
    key: Key?.pk ?? Item?.pk ?? ExpressionAttributeValues?.[":pk"] ?? "",
  };
  return (
    TransactItems?.map(({ Put, Update }) =>
      Put
        ? { action: "dynamodb:PutItem", key: Put.Item.pk, within }
        : { action: "dynamodb:UpdateItem", key: Update.Key.pk, within },
    ) ?? [single]
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
