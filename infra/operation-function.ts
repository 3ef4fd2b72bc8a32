/** An operation's Lambda function: its size, its log, and the few calls on the table that it may make. */
import { dirname, join } from "node:path";
import { Duration, type RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { AssetHashType, DockerImage } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { metricNamespace } from "../lib/api/metric-names.ts";
import type { Operation, OperationId } from "../lib/api/operations.ts";
import { itemTypes } from "../lib/table/keys.ts";
import { bundle, bundleHandler, projectRoot } from "./bundling.ts";
import type { ServiceTable } from "./service-table.ts";

/** One call, on the item types that it is made on; `within` a transaction only, where it is. */
type Permission = {
  call: "GetItem" | "Query" | "PutItem";
  on: readonly (typeof itemTypes)[keyof typeof itemTypes][];
  within?: "TransactWriteItems";
};

type Needs = { memoryMegabytes: number; timeout: Duration; permissions: readonly Permission[] };

const needs: Record<OperationId, Needs> = {
  GetMessage: {
    // Memory buys processor: this is 0.6 of one, for 0.2 seconds of work in a cold start and 1 to 4 to send
    // a message of 40 MiB, less than the time that sending it takes. 200 MB are in use then.
    memoryMegabytes: 1024,
    // Lambda streams 6 MB at once and then 2 MB a second: 40 seconds for a message of 40 MiB, 97 for the
    // 200 MB at which it ends any response. The rest is for callers who read more slowly than that.
    timeout: Duration.minutes(5),
    permissions: [
      { call: "GetItem", on: [itemTypes.apiKey] },
      { call: "Query", on: [itemTypes.message] },
    ],
  },
  AddAccountMember: {
    // Two round trips with little between them: the processor is there for the cold start.
    memoryMegabytes: 1024,
    // The integration's limit is 29 seconds: the function ends first, so that its own log says why.
    timeout: Duration.seconds(28),
    permissions: [
      // Users and idempotency records before anything is written; all three that are written after a conflict.
      {
        call: "GetItem",
        on: [itemTypes.apiKey, itemTypes.user, itemTypes.account, itemTypes.idempotency],
      },
      {
        call: "PutItem",
        on: [itemTypes.user, itemTypes.account, itemTypes.idempotency],
        within: "TransactWriteItems",
      },
    ],
  },
};

const statement = (table: ServiceTable, { call, on, within }: Permission): PolicyStatement =>
  new PolicyStatement({
    actions: [`dynamodb:${call}`],
    resources: [table.tableArn],
    conditions: {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": on.map((prefix) => `${prefix}*`) },
      // "All values" holds for a call that names no key: it must name one.
      Null: { "dynamodb:LeadingKeys": "false" },
      ...(within && { "ForAnyValue:StringEquals": { "dynamodb:EnclosingOperation": [within] } }),
    },
  });

const bundled = ({ file }: Operation): Code =>
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

export type OperationFunctionProps = {
  stage: string;
  operation: Operation;
  table: ServiceTable;
  /** How many run at once: so many are the function's own, and it gets no more. */
  concurrency: number | undefined;
  logRetention: RetentionDays;
  removalPolicy: RemovalPolicy;
};

/** The function that serves an operation. */
export class OperationFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly timeout: Duration;

  constructor(scope: Construct, props: OperationFunctionProps) {
    const { stage, operation, table, concurrency, logRetention, removalPolicy } = props;
    super(scope, operation.id);
    const need = needs[operation.id];

    const logGroup = new LogGroup(this, "Log", { retention: logRetention, removalPolicy });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      description: `What ${operation.id} may do, in ${Stack.of(this).stackName}`,
    });
    logGroup.grantWrite(role);
    for (const permission of need.permissions) role.addToPrincipalPolicy(statement(table, permission));

    this.timeout = need.timeout;
    this.lambda = new LambdaFunction(this, "Function", {
      description: `${operation.method} ${operation.path}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64, // a fifth cheaper than x86 for the same work
      code: bundled(operation),
      handler: bundleHandler,
      // Without NODE_OPTIONS=--enable-source-maps: it reads the map in every cold start, which takes 9 ms of
      // 71. The map is in the bundle for whoever has a stack trace to read.
      environment: {
        TABLE_NAME: table.tableName,
        POWERTOOLS_METRICS_NAMESPACE: metricNamespace(stage),
      },
      memorySize: need.memoryMegabytes,
      timeout: need.timeout,
      ...(concurrency && { reservedConcurrentExecutions: concurrency }),
      role,
      logGroup,
    });
  }
}
