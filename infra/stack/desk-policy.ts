/** What a person of the support desk may read: messages, and which of them are a person's. Nothing may be written. */
import { Aws, Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { itemTypes, personIndex } from "../../lib/table/keys.ts";
import type { ServiceTable } from "./service-table.ts";

/** Without a partition key in the call, IAM's ForAllValues would be true. */
const onlyKeys = (prefix: string) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${prefix}*`] },
  Null: { "dynamodb:LeadingKeys": "false" },
});

/**
 * The policy has a fixed name, because IAM Identity Center attaches it by its name in each AWS account. Policies belong
 * to no region, so the region is in the name.
 */
export const deskPolicy = (scope: Construct, table: ServiceTable, key: IKey | undefined): ManagedPolicy => {
  const policy = new ManagedPolicy(scope, "Desk", {
    managedPolicyName: `${Stack.of(scope).stackName}-Desk-${Aws.REGION}`,
    description: `Permissions of the support desk in ${Stack.of(scope).stackName}`,
    statements: [
      new PolicyStatement({
        actions: ["dynamodb:Query"],
        resources: [`${table.tableArn}/index/${personIndex.name}`],
        conditions: onlyKeys(itemTypes.person),
      }),
      new PolicyStatement({
        actions: ["dynamodb:GetItem", "dynamodb:Query"],
        resources: [table.tableArn],
        conditions: onlyKeys(itemTypes.message),
      }),
      // The option --stage reads the table's name from the stack's outputs.
      new PolicyStatement({ actions: ["cloudformation:DescribeStacks"], resources: [Aws.STACK_ID] }),
    ],
  });
  if (key) {
    const conditions = { StringEquals: { "kms:ViaService": `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}` } };
    policy.addStatements(
      new PolicyStatement({ actions: ["kms:Decrypt", "kms:DescribeKey"], resources: [key.keyArn], conditions }),
    );
  }
  return policy;
};
