/** One CDK stack contains the whole service. Each operation has its own Lambda function and its own route. */
import { Aws, CfnOutput, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { metricNamespace } from "../../lib/http/metrics.ts";
import type { Operation } from "../../lib/http/operations.ts";
import { Api } from "./api.ts";
import { Intake } from "./intake.ts";
import { Monitoring } from "./monitoring.ts";
import { OperationFunction } from "./operation-function.ts";
import { serviceTable } from "./service-table.ts";
import type { Settings } from "./settings.ts";

export type EmailApiStackProps = {
  settings: Settings;
  operations: readonly Operation[];
  /** If no region is set, the template can be deployed anywhere, but its table has no replicas. */
  region: string | undefined;
};

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
    const shared = { stage, table, concurrency, logRetention, removalPolicy };
    const api = new Api(this, "Api", {
      stage,
      operations: operations.map((operation) => ({
        operation,
        handler: new OperationFunction(this, { ...shared, operation }),
      })),
      domain: domain && certificate ? { name: domain, certificate } : undefined,
      limits: settings,
      logRetention,
      removalPolicy,
    });
    const { deadLetterMinutes } = settings;
    const intake = settings.intake ? new Intake(this, "Intake", { ...shared, deadLetterMinutes }) : undefined;
    const { dashboard } = new Monitoring(this, "Monitoring", {
      stage,
      api,
      table,
      intake,
      alarmTopic,
    });

    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description });
    output("ApiUrl", api.url, "The base URL of the API");
    output("TableName", table.tableName, "The value of TABLE_NAME for npm run admin");
    output(
      "DashboardUrl",
      `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${dashboard.dashboardName}`,
      "The dashboard",
    );
    output("AccessLogGroup", api.accessLog.logGroupName, "The log of every request that API Gateway received");
    output("MetricNamespace", metricNamespace(stage), "The namespace of the functions' metrics");
    for (const { operation, handler } of api.routes) {
      output(`${operation.id}LogGroup`, handler.logGroup.logGroupName, `The log of ${operation.id}`);
      output(`${operation.id}RoleArn`, handler.role.roleArn, `The role of ${operation.id}`);
    }
    if (intake) {
      output("EmailBucketName", intake.emails.bucketName, "The bucket for raw emails");
      output("EventQueueUrl", intake.events.queueUrl, "The queue for events");
      output("RecordEventsLogGroup", intake.recordEvents.logGroup.logGroupName, "The log of RecordEvents");
      output("DeadLetterQueueUrl", intake.deadLetters.queueUrl, "The queue of events that keep failing");
      output("PipelinePolicyArn", intake.pipelinePolicy.managedPolicyArn, "The policy for a sending pipeline's role");
    }
    if (api.domainTarget) output("DomainTarget", api.domainTarget, "The target of the domain's CNAME record");
  }
}
