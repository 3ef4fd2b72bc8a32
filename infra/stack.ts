/** The service on AWS: one stack, from the one list of operations. */
import { Aws, CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { metricNamespace } from "../lib/api/metric-names.ts";
import type { Operation } from "../lib/api/operations.ts";
import { Api } from "./api.ts";
import { Intake } from "./intake.ts";
import { Monitoring } from "./monitoring.ts";
import { OperationFunction } from "./operation-function.ts";
import { serviceTable } from "./service-table.ts";
import type { Settings } from "./settings.ts";

export type EmailApiStackProps = {
  settings: Settings;
  operations: readonly Operation[];
  /** Where it is deployed: a table with replicas must know. Without one, the template is any region's. */
  region: string | undefined;
};

/** The table, a function and a route for each operation, and what watches over them. */
export class EmailApiStack extends Stack {
  constructor(scope: Construct, { settings, operations, region }: EmailApiStackProps) {
    const { stage, domain, certificate, tableName, replicaRegions, alarmTopic, concurrency } = settings;
    super(scope, `EmailApi-${stage}`, {
      description: `Email retrieval and member API, ${stage}`,
      terminationProtection: !settings.removeEverything,
      ...(region && { env: { region } }),
    });
    const removalPolicy = settings.removeEverything ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    const logRetention = settings.logRetentionDays;

    const table = serviceTable(this, "Table", { tableName, replicaRegions, removalPolicy });
    const surroundings = { stage, table, concurrency, logRetention, removalPolicy };
    const api = new Api(this, "Api", {
      stage,
      operations: operations.map((operation) => ({
        operation,
        handler: new OperationFunction(this, { ...surroundings, operation }),
      })),
      domain: domain && certificate ? { name: domain, certificate } : undefined,
      limits: settings,
      logRetention,
      removalPolicy,
    });
    const { deadLetterMinutes } = settings;
    const intake = settings.intake
      ? new Intake(this, "Intake", { ...surroundings, deadLetterMinutes })
      : undefined;
    const { dashboard } = new Monitoring(this, "Monitoring", {
      stage,
      api,
      table,
      intake,
      alarmTopic,
    });

    const output = (id: string, value: string, description: string) =>
      new CfnOutput(this, id, { value, description });
    output("ApiUrl", api.url, "The base URL of the API");
    output("TableName", table.tableName, "The TABLE_NAME of npm run admin");
    output(
      "DashboardUrl",
      `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${dashboard.dashboardName}`,
      "Traffic, latency, errors and the table",
    );
    output("MetricNamespace", metricNamespace(stage), "What the functions count is under it");
    for (const { operation, handler } of api.routes) {
      output(`${operation.id}LogGroup`, handler.logGroup.logGroupName, `The log of ${operation.id}`);
      output(`${operation.id}RoleArn`, handler.role.roleArn, `The role of ${operation.id}`);
    }
    if (intake) {
      output("EmailBucketName", intake.emails.bucketName, "Where a pipeline puts raw emails");
      output("EventQueueUrl", intake.events.queueUrl, "Where a pipeline sends events");
      output(
        "DeadLetterQueueUrl",
        intake.deadLetters.queueUrl,
        "Where events are that could not be recorded",
      );
      output("PipelinePolicyArn", intake.pipelinePolicy.managedPolicyArn, "What a pipeline's role gets");
    }
    if (api.domainTarget) output("DomainTarget", api.domainTarget, "What the domain's CNAME points at");
  }
}
