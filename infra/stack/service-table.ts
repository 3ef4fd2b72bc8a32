/** The stack's DynamoDB table, with the same keys as the local server's table. */
import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, type ITableV2, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { layout } from "../../lib/table/keys.ts";

/** What the stack uses of a CDK table. */
export type ServiceTable = Pick<
  ITableV2,
  "tableArn" | "tableName" | "metric" | "metricConsumedReadCapacityUnits" | "metricConsumedWriteCapacityUnits"
>;

export type ServiceTableProps = {
  /** A table that exists; the stack never changes or deletes it. */
  tableName: string | undefined;
  /** The regions of the table's replicas, besides the stack's own. */
  replicaRegions: readonly string[];
  /** `RETAIN` also protects the table in the stack's own region from deletion. */
  removalPolicy: RemovalPolicy;
};

export const serviceTable = (
  scope: Construct,
  id: string,
  { tableName, replicaRegions, removalPolicy }: ServiceTableProps,
): ServiceTable => {
  if (tableName !== undefined) return TableV2.fromTableName(scope, `Existing${id}`, tableName);
  return new TableV2(scope, id, {
    partitionKey: { name: layout.partitionKey, type: AttributeType.STRING },
    sortKey: { name: layout.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: layout.timeToLive,
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true }, // to any second of the last 35 days
    // CloudFormation can't delete a protected replica, and a deployment that removes a region may change nothing else.
    // So only the table in the stack's own region is protected; it has all the data.
    replicas: replicaRegions.map((region) => ({ region, deletionProtection: false })),
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    removalPolicy,
  });
};
