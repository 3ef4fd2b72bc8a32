/** What is deployed: templates of stacks, and the resources that really exist. */
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  GetTemplateCommand,
  UpdateTerminationProtectionCommand,
} from "@aws-sdk/client-cloudformation";
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { IAMClient, ListPoliciesCommand, ListRolesCommand } from "@aws-sdk/client-iam";
import { ListBucketsCommand, S3Client } from "@aws-sdk/client-s3";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Template } from "./adaptations.ts";

export const readTemplate = async (StackName: string): Promise<Template> => {
  const { TemplateBody = "" } = await new CloudFormationClient().send(new GetTemplateCommand({ StackName }));
  return JSON.parse(TemplateBody);
};

/** What README's `aws cloudformation update-termination-protection` does. */
export const unprotect = (StackName: string) =>
  new CloudFormationClient().send(
    new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }),
  );

export type Deployed = { type: string; id: string };

export const resourcesOf = async (StackName: string): Promise<Deployed[]> => {
  const client = new CloudFormationClient();
  const { StackResources = [] } = await client.send(new DescribeStackResourcesCommand({ StackName }));
  return StackResources.map(({ ResourceType = "", PhysicalResourceId = "" }) => ({
    type: ResourceType,
    id: PhysicalResourceId,
  }));
};

/** For the services whose SDK we don't have. */
const call = async (service: string, path: string, body?: string): Promise<string> => {
  const Authorization = `AWS4-HMAC-SHA256 Credential=test/20261120/eu-west-1/${service}/aws4_request`;
  const headers = { Authorization, "Content-Type": "application/x-www-form-urlencoded" };
  const url = process.env.AWS_ENDPOINT_URL + path;
  return (await fetch(url, { headers, ...(body && { method: "POST", body }) })).text();
};

/** The names of everything in the account, among other words. */
const everything = async (): Promise<Set<string>> => {
  const lists = await Promise.all([
    new DynamoDBClient().send(new ListTablesCommand()),
    new CloudWatchLogsClient().send(new DescribeLogGroupsCommand()),
    new S3Client({ forcePathStyle: true }).send(new ListBucketsCommand()),
    new SQSClient().send(new ListQueuesCommand()),
    new IAMClient().send(new ListRolesCommand()),
    new IAMClient().send(new ListPoliciesCommand({ Scope: "Local" })),
    call("lambda", "/2015-03-31/functions/"),
    call("apigateway", "/restapis"),
    call("monitoring", "/", "Action=DescribeAlarms&Version=2010-08-01"),
    call("monitoring", "/", "Action=ListDashboards&Version=2010-08-01"),
  ]);
  return new Set(JSON.stringify(lists).split(/["\\<>]+/));
};

/** What {@link existing} can find, by type. */
export const findable = new Set(
  "ApiGateway::RestApi CloudWatch::Alarm CloudWatch::Dashboard DynamoDB::GlobalTable IAM::ManagedPolicy IAM::Role Lambda::Function Logs::LogGroup S3::Bucket SQS::Queue"
    .split(" ")
    .map((type) => `AWS::${type}`),
);

/** Those of the resources that the account has, whatever CloudFormation says. */
export const existing = async (resources: Deployed[]): Promise<Deployed[]> => {
  const names = await everything();
  return resources.filter(({ id }) => names.has(id));
};
