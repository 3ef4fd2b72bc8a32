/** The table on AWS, from the layout that the functions and the local engine use. */
import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, type ITableV2, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { layout } from "../lib/table/keys.ts";

/** What the stack needs of a table, whether it makes it or finds it. */
export type ServiceTable = Pick<
  ITableV2,
  "tableArn" | "tableName" | "metric" | "metricConsumedReadCapacityUnits" | "metricConsumedWriteCapacityUnits"
>;

export type NewTableProps = {
  /** Regions that hold a copy beside the stack's own. */
  replicaRegions: readonly string[];
  /** `RETAIN` also protects the table from being deleted by any other hand. */
  removalPolicy: RemovalPolicy;
};

/** On demand, recoverable to any second of the last 35 days, and encrypted with the account's own key. */
const newTable = (
  scope: Construct,
  id: string,
  { replicaRegions, removalPolicy }: NewTableProps,
): ServiceTable =>
  new TableV2(scope, id, {
    partitionKey: { name: layout.partitionKey, type: AttributeType.STRING },
    sortKey: { name: layout.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: layout.timeToLive,
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    replicas: replicaRegions.map((region) => ({ region })),
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    removalPolicy,
  });

/** A table of the stack's own; or the one of that name, which the stack neither changes nor removes. */
export const serviceTable = (
  scope: Construct,
  id: string,
  { tableName, ...props }: NewTableProps & { tableName: string | undefined },
): ServiceTable =>
  tableName === undefined
    ? newTable(scope, id, props)
    : TableV2.fromTableName(scope, `Existing${id}`, tableName);
