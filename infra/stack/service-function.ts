/** A Lambda function with its IAM role and its log group. */
import { dirname, join } from "node:path";
import { Aws, type Duration, Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type LogGroupProps } from "aws-cdk-lib/aws-logs";
import { AssetHashType, DockerImage } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { metricNamespace } from "../../lib/http/metrics.ts";
import type { Permission } from "../../lib/table/permission.ts";
import { bundle, bundleHandler, projectRoot } from "./bundling.ts";
import type { ServiceTable } from "./service-table.ts";

/**
 * IAM's condition `dynamodb:LeadingKeys` limits which items a call may read or write. For a transaction, we list the
 * keys of all its writes, because AWS doesn't document which of them IAM compares.
 */
const leadingKeys = ({ on, within }: Permission, permissions: readonly Permission[]): string[] => {
  const prefixes = within ? permissions.filter((other) => other.within).flatMap((other) => other.on) : on;
  return Array.from(new Set(prefixes), (prefix) => `${prefix}*`);
};

const statement = (
  table: ServiceTable,
  permission: Permission,
  permissions: readonly Permission[],
): PolicyStatement => {
  const { call, within } = permission;
  return new PolicyStatement({
    actions: [`dynamodb:${call}`],
    resources: [table.tableArn],
    conditions: {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": leadingKeys(permission, permissions) },
      // IAM's ForAllValues is true for an empty set, so on its own it would allow a call without a partition key.
      Null: { "dynamodb:LeadingKeys": "false" },
      ...(within && { "ForAnyValue:StringEquals": { "dynamodb:EnclosingOperation": [within] } }),
    },
  });
};

/**
 * DynamoDB asks KMS in the name of its caller. These are the calls that AWS lists, except CreateGrant, which only whoever
 * creates the table needs.
 */
const useOfKey = (key: IKey): PolicyStatement =>
  new PolicyStatement({
    actions: "Decrypt DescribeKey Encrypt GenerateDataKey GenerateDataKeyWithoutPlaintext ReEncryptFrom ReEncryptTo"
      .split(" ")
      .map((call) => `kms:${call}`),
    resources: [key.keyArn],
    conditions: { StringEquals: { "kms:ViaService": `dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}` } },
  });

const bundled = (file: string): Code =>
  Code.fromAsset(dirname(join(projectRoot, file)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("never-used"), // CDK requires an image, even for local bundling.
      command: [file], // CDK caches assets by these options: without the file, all functions would share one bundle.
      local: {
        tryBundle: (folder) => {
          bundle(file, folder);
          return true;
        },
      },
    },
  });

export type SharedProps = {
  stage: string;
  table: ServiceTable;
  logs: LogGroupProps;
  /** The customer-managed key of the table and the intake, which DynamoDB, S3 and SQS use in the function's name. */
  key: IKey | undefined;
  tracing: boolean;
};

export type ServiceFunctionProps = SharedProps & {
  description: string;
  /** The file that exports the Lambda handler as `handler`. */
  file: string;
  memoryMegabytes: number;
  timeout: Duration;
  permissions: readonly Permission[];
  /** Lambda's reserved concurrency. */
  concurrency?: number | undefined;
  environment?: Record<string, string>;
};

export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { stage, table, logs, key, concurrency, timeout, permissions } = props;
    super(scope, id);

    this.logGroup = new LogGroup(this, "Log", logs);
    this.role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `Permissions of ${id} in ${Stack.of(this).stackName}`,
    });
    this.logGroup.grantWrite(this.role);
    for (const permission of permissions) {
      this.role.addToPrincipalPolicy(statement(table, permission, permissions));
    }

    if (key) this.role.addToPrincipalPolicy(useOfKey(key));

    this.timeout = timeout;
    this.lambda = new LambdaFunction(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64, // costs 20% less than x86_64 per GB-second
      code: bundled(props.file),
      handler: bundleHandler,
      // We don't set NODE_OPTIONS=--enable-source-maps, because Node.js would read the source map in every cold start.
      environment: {
        TABLE_NAME: table.tableName,
        POWERTOOLS_METRICS_NAMESPACE: metricNamespace(stage),
        ...props.environment,
      },
      memorySize: props.memoryMegabytes,
      timeout,
      ...(concurrency && { reservedConcurrentExecutions: concurrency }),
      ...(props.tracing && { tracing: Tracing.ACTIVE }),
      role: this.role,
      logGroup: this.logGroup,
    });
  }
}
