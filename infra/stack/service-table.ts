/** The stack's DynamoDB table, with the same keys as the local server's table. */
import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, type ITableV2, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { layout } from "../../lib/table/keys.ts";

/** The properties and methods of a CDK table that the stack uses. */
export type ServiceTable = Pick<
  ITableV2,
  "tableArn" | "tableName" | "metric" | "metricConsumedReadCapacityUnits" | "metricConsumedWriteCapacityUnits"
>;

export type ServiceTableProps = {
  /** The name of an existing table. The stack never changes or deletes an existing table. */
  tableName: string | undefined;
  /** The regions of the table's replicas, without the stack's own region. */
  replicaRegions: readonly string[];
  /** `RETAIN` also protects the table in the stack's own region from deletion. */
  removalPolicy: RemovalPolicy;
};

/** Creates a table. If `tableName` is set, creates no table and uses the existing table with that name. */
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
