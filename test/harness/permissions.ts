/** What the stack's template allows an operation's function to do. */
import type { Operation } from "../../lib/api/operations.ts";
import { functionOf, nameIn, ofType, type Reference, templateWith } from "./synthesise.ts";

/** One permission of a role, and one call, in IAM's terms: an action on keys, maybe within another one. */
export type Permission = { action: string; prefix: string; within: string | undefined };
export type Call = { action: string; key: string; within?: string | undefined };

/** What the template grants to the role of an operation. */
export const permissionsOf = (operation: Operation): Permission[] => {
  const { Role } = functionOf(templateWith(), operation).Properties;
  return ofType(templateWith(), "AWS::IAM::Policy")
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
};

/** The one that a call needs, if it is there. */
export const permissionFor = (
  permissions: readonly Permission[],
  { action, key, within }: Call,
): Permission | undefined =>
  permissions.find(
    (one) => one.action === action && key.startsWith(one.prefix) && (!one.within || one.within === within),
  );
