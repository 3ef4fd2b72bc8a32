/** The table on AWS, from the layout that the functions and the local engine use. */
import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import { layout } from "../lib/table/keys.ts";

export type TableProps = {
  /** Regions that hold a copy beside the stack's own. */
  replicaRegions: readonly string[];
  /** `RETAIN` also protects the table from being deleted by any other hand. */
  removalPolicy: RemovalPolicy;
};

/** On demand, recoverable to any second of the last 35 days, and encrypted with the account's own key. */
export class Table extends TableV2 {
  constructor(scope: Construct, id: string, { replicaRegions, removalPolicy }: TableProps) {
    super(scope, id, {
      partitionKey: { name: layout.partitionKey, type: AttributeType.STRING },
      sortKey: { name: layout.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: layout.timeToLive,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      replicas: replicaRegions
        .filter((region) => region !== Stack.of(scope).region)
        .map((region) => ({ region })),
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
      removalPolicy,
    });
  }
}
