/** Creates the table on AWS, unless the setting `tableName` names an existing one. */
import type { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  ContributorInsightsMode,
  type ITableV2,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { layout, personIndex } from "../../lib/table/keys.ts";

export type ServiceTable = Pick<
  ITableV2,
  "tableArn" | "tableName" | "metric" | "metricConsumedReadCapacityUnits" | "metricConsumedWriteCapacityUnits"
>;

export type ServiceTableProps = {
  /** The name of an existing table, which the stack never changes or deletes. */
  tableName: string | undefined;
  /** The regions with a replica of the table, besides the stack's own region. */
  replicaRegions: readonly string[];
  /** The customer-managed key. A multi-Region key has the same ARN in each replica's region, except for the region. */
  key: IKey | undefined;
  removalPolicy: RemovalPolicy;
  /** Protects the table in the stack's own region from being deleted. */
  isProtected: boolean;
};

const inRegions = (arn: string, regions: readonly string[]): Record<string, string> =>
  Object.fromEntries(regions.map((region) => [region, arn.split(":").with(3, region).join(":")]));

export const serviceTable = (
  scope: Construct,
  id: string,
  { tableName, replicaRegions, key, removalPolicy, isProtected }: ServiceTableProps,
): ServiceTable => {
  if (tableName !== undefined) return TableV2.fromTableName(scope, `Existing${id}`, tableName);
  return new TableV2(scope, id, {
    partitionKey: { name: layout.partitionKey, type: AttributeType.STRING },
    sortKey: { name: layout.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: layout.timeToLive,
    globalSecondaryIndexes: [
      {
        indexName: personIndex.name,
        partitionKey: { name: personIndex.partitionKey, type: AttributeType.STRING },
        sortKey: { name: personIndex.sortKey, type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      },
    ],
    billing: Billing.onDemand(),
    encryption: key
      ? TableEncryptionV2.customerManagedKey(key, inRegions(key.keyArn, replicaRegions))
      : TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true }, // restores any second of the last 35 days
    // CloudFormation can't delete a replica that is protected against deletion, and can't lift the protection in the
    // same deployment. Deletion protection is on only for the table in the stack's own region, which has all the data.
    replicas: replicaRegions.map((region) => ({ region, deletionProtection: false })),
    deletionProtection: isProtected,
    // Names the keys of throttled calls, and so the hot item.
    contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
    removalPolicy,
  });
};
