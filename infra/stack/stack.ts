/** One CDK stack contains the whole service. Each operation has its own Lambda function and its own route. */
import { Aws, CfnMapping, CfnOutput, RemovalPolicy, Stack, Tags } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { metricNamespace } from "../../lib/http/metrics.ts";
import type { Operation } from "../../lib/http/operations.ts";
import { Api } from "./api.ts";
import { deskPolicy } from "./desk-policy.ts";
import { Intake } from "./intake.ts";
import { Monitoring } from "./monitoring.ts";
import { OperationFunction } from "./operation-function.ts";
import { serviceTable } from "./service-table.ts";
import { Ses } from "./ses.ts";
import type { Settings } from "./settings.ts";

export type EmailApiStackProps = {
  settings: Settings;
  operations: readonly Operation[];
  /** If no region is set, the template can be deployed anywhere, but its table has no replicas. */
  region: string | undefined;
  /**
   * Whether the stack doesn't exist yet, or its creation has failed. Nothing of it is protected against deletion, so that
   * CloudFormation can roll back a creation that fails, and CDK can delete what is left and repeat it.
   */
  isNew?: boolean;
};

/** Where AWS's console is, by partition. */
const consoles = {
  aws: "console.aws.amazon.com",
  "aws-cn": "console.amazonaws.cn",
  "aws-us-gov": "console.amazonaws-us-gov.com",
};

/** The output of a stack that was deployed for the first time. */
export const isUnprotected = "IsUnprotected";

export class EmailApiStack extends Stack {
  constructor(scope: Construct, { settings, operations, region, isNew = false }: EmailApiStackProps) {
    const { stage, domain, certificate, tableName, replicaRegions, alarmTopic, kmsKey, tracing } = settings;
    const isProtected = !settings.removeEverything && !isNew;
    super(scope, `EmailApi-${stage}`, {
      description: `Email retrieval and member API, ${stage}`,
      terminationProtection: isProtected,
      ...(region && { env: { region } }),
    });
    for (const [name, value] of Object.entries(settings.tags)) Tags.of(this).add(name, value);
    // By default, all data are kept, except what a failed creation or update has just created.
    const removalPolicy = settings.removeEverything ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
    const key = kmsKey === undefined ? undefined : Key.fromKeyArn(this, "Key", kmsKey);
    const logs = {
      retention: settings.logRetentionDays,
      ...(key && { encryptionKey: key }),
      deletionProtectionEnabled: isProtected,
      removalPolicy,
    };

    const table = serviceTable(this, "Table", { tableName, replicaRegions, key, removalPolicy, isProtected });
    const shared = { stage, table, logs, key, tracing };
    const api = new Api(this, "Api", {
      stage,
      operations: operations.map((operation) => ({
        operation,
        handler: new OperationFunction(this, { ...shared, operation, concurrency: settings.concurrency }),
      })),
      domain: domain && certificate ? { name: domain, certificate } : undefined,
      limits: settings,
      logs,
      tracing,
      setsLogRole: settings.gatewayLogRole,
    });
    const { deadLetterMinutes, eventConcurrency } = settings;
    const intake = settings.intake
      ? new Intake(this, "Intake", { ...shared, deadLetterMinutes, eventConcurrency, removalPolicy })
      : undefined;
    const { ses, sesReceived } = settings;
    if (intake && (ses.length > 0 || sesReceived)) new Ses(this, "Ses", { intake, key, ses, sesReceived });
    const { dashboard } = new Monitoring(this, "Monitoring", {
      stage,
      api,
      table,
      intake,
      alarmTopic,
    });

    const mapping = Object.fromEntries(Object.entries(consoles).map(([partition, host]) => [partition, { host }]));
    const console = new CfnMapping(this, "Consoles", { mapping }).findInMap(Aws.PARTITION, "host");
    const output = (id: string, value: string, description: string) => new CfnOutput(this, id, { value, description });
    output("ApiUrl", api.url, "The base URL of the API");
    output("TableName", table.tableName, "The value of TABLE_NAME for npm run admin");
    output(
      "DashboardUrl",
      `https://${Aws.REGION}.${console}/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${dashboard.dashboardName}`,
      "The dashboard",
    );
    output("AccessLogGroup", api.accessLog.logGroupName, "The log of every request that API Gateway received");
    output("MetricNamespace", metricNamespace(stage), "The namespace of the functions' metrics");
    for (const { operation, handler } of api.routes) {
      output(`${operation.id}LogGroup`, handler.logGroup.logGroupName, `The log of ${operation.id}`);
      output(`${operation.id}RoleArn`, handler.role.roleArn, `The role of ${operation.id}`);
    }
    const desk = deskPolicy(this, table, key);
    output("DeskPolicyArn", desk.managedPolicyArn, "The policy for people of the support desk");
    if (intake) {
      output("EmailBucketName", intake.emails.bucketName, "The bucket for raw emails");
      output("EventQueueUrl", intake.events.queueUrl, "The queue for events");
      output("RecordEventsLogGroup", intake.recordEvents.logGroup.logGroupName, "The log of RecordEvents");
      output("DeadLetterQueueUrl", intake.deadLetters.queueUrl, "The queue of events that keep failing");
      output("PipelinePolicyArn", intake.pipelinePolicy.managedPolicyArn, "The policy for a sending pipeline's role");
    }
    if (isNew && !settings.removeEverything)
      output(isUnprotected, "true", "Nothing is protected against deletion before the next deployment");
    if (sesReceived) {
      const [ruleSet] = sesReceived.split(":");
      const activate = `aws ses set-active-receipt-rule-set --region ${Aws.REGION} --rule-set-name ${ruleSet}`;
      output("ActivateRuleSet", activate, "Activates the rule set, which CloudFormation can't do");
    }
    if (api.domainTarget) output("DomainTarget", api.domainTarget, "The target of the domain's CNAME record");
  }
}
