/** A Lambda function of the service: its size, its log, and the few calls on the table that it may make. */
import { dirname, join } from "node:path";
import { type Duration, type RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { AssetHashType, DockerImage } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { metricNamespace } from "../lib/api/metric-names.ts";
import type { Permission } from "../lib/table/permission.ts";
import { bundle, bundleHandler, projectRoot } from "./bundling.ts";
import type { ServiceTable } from "./service-table.ts";

/** What a function needs, for what it does. */
export type Needs = { memoryMegabytes: number; timeout: Duration; permissions: readonly Permission[] };

/**
 * AWS does not document whether IAM evaluates a transaction's actions with their own keys or with all keys of the
 * transaction. Each statement of a transaction names the keys of the whole transaction, so it holds in both cases.
 */
const leadingKeys = ({ on, within }: Permission, permissions: readonly Permission[]): string[] => {
  const inTransaction = within
    ? permissions.filter((other) => other.within).flatMap((other) => other.on)
    : on;
  return Array.from(new Set(inTransaction), (prefix) => `${prefix}*`);
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
      // "All values" holds for a call that names no key: it must name one.
      Null: { "dynamodb:LeadingKeys": "false" },
      ...(within && { "ForAnyValue:StringEquals": { "dynamodb:EnclosingOperation": [within] } }),
    },
  });
};

const bundled = (file: string): Code =>
  Code.fromAsset(dirname(join(projectRoot, file)), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("never-used"), // CDK asks for one, then bundles locally
      command: [file], // tells one function's asset from another's
      local: {
        tryBundle: (folder) => {
          bundle(file, folder);
          return true;
        },
      },
    },
  });

/** What all functions have in common. */
export type Surroundings = {
  stage: string;
  table: ServiceTable;
  /** How many run at once: so many are the function's own, and it gets no more. */
  concurrency: number | undefined;
  logRetention: RetentionDays;
  removalPolicy: RemovalPolicy;
};

export type ServiceFunctionProps = Surroundings & {
  description: string;
  /** The file whose `handler` export is the function. */
  file: string;
  needs: Needs;
  /** What it is told beside the table's name and where it counts. */
  environment?: Record<string, string>;
};

export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    const { stage, table, concurrency, logRetention, removalPolicy, needs } = props;
    super(scope, id);

    this.logGroup = new LogGroup(this, "Log", { retention: logRetention, removalPolicy });
    this.role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `What ${id} may do, in ${Stack.of(this).stackName}`,
    });
    this.logGroup.grantWrite(this.role);
    for (const permission of needs.permissions) {
      this.role.addToPrincipalPolicy(statement(table, permission, needs.permissions));
    }

    this.timeout = needs.timeout;
    this.lambda = new LambdaFunction(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64, // a fifth cheaper than x86 for the same work
      code: bundled(props.file),
      handler: bundleHandler,
      // Without NODE_OPTIONS=--enable-source-maps: it reads the map in every cold start, which takes 9 ms of
      // 71. The map is in the bundle for whoever has a stack trace to read.
      environment: {
        TABLE_NAME: table.tableName,
        POWERTOOLS_METRICS_NAMESPACE: metricNamespace(stage),
        ...props.environment,
      },
      memorySize: needs.memoryMegabytes,
      timeout: needs.timeout,
      ...(concurrency && { reservedConcurrentExecutions: concurrency }),
      role: this.role,
      logGroup: this.logGroup,
    });
  }
}
