/** The stack as a whole: names, outputs, data that it must keep, and AWS's review. */
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { expect, test } from "vitest";
import { operations } from "../../../lib/http/operations.ts";
import { everySetting, synthesise, templateWith, withoutBundles } from "../../harness/synthesise.ts";

test("The stage is part of the names of the stack, the API's stage and the dashboard", () => {
  const { stack, template } = synthesise({ ...withoutBundles, stage: "dev" });

  expect(stack.stackName).toBe("EmailApi-dev");
  template.hasResourceProperties("AWS::ApiGateway::RestApi", { Name: "EmailApi-dev" });
  template.hasResourceProperties("AWS::ApiGateway::Stage", { StageName: "dev" });
  template.hasResourceProperties("AWS::CloudWatch::Dashboard", { DashboardName: "EmailApi-dev-eu-west-1" });
});

test("A moved construct deploys no empty table, bucket or queue, because their logical ids never change", () => {
  const { Resources } = templateWith({ intake: "true" }).toJSON();
  const types = /^AWS::(DynamoDB::GlobalTable|S3::Bucket|SQS::Queue)$/;

  expect(Object.keys(Resources).filter((id) => types.test(Resources[id].Type))).toEqual([
    "TableCD117FA1",
    "IntakeEmails660010F9",
    "IntakeDeadLettersA15864BB",
    "IntakeEventsC73C3BCC",
  ]);
});

test("CloudFormation deletes a stack only if removeEverything is set", () => {
  const protectionWith = (settings: object) =>
    synthesise({ ...withoutBundles, ...settings }).stack.terminationProtection;

  expect(protectionWith({})).toBe(true);
  expect(protectionWith({ removeEverything: "true" })).toBe(false);
});

test("Every log is kept for logRetentionDays, and is deleted with its stack only if removeEverything is set", () => {
  const template = templateWith({ logRetentionDays: "365", removeEverything: "true" });

  template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 365 });
  template.allResources("AWS::Logs::LogGroup", { DeletionPolicy: "Delete" });
  templateWith().allResources("AWS::Logs::LogGroup", { DeletionPolicy: "Retain" });
});

test("The outputs name everything that the next commands need", () => {
  const { Outputs } = templateWith().toJSON();

  expect(Object.keys(Outputs)).toEqual([
    ..."ApiUrl,TableName,DashboardUrl,AccessLogGroup,MetricNamespace".split(","),
    ...operations.flatMap(({ id }) => [`${id}LogGroup`, `${id}RoleArn`]),
  ]);
  expect(JSON.stringify(Outputs.DashboardUrl)).toMatch(/#dashboards\/dashboard\/.*Dashboard/);
});

test.each([
  ["no settings", {}],
  ["every setting", everySetting],
])("With %s, AWS's review finds only violations that have a written reason", (_, settings) => {
  const { app } = synthesise({ ...withoutBundles, ...settings });
  const found = (checks: AwsSolutionsChecks) =>
    new Set(checks.validateScope(app).violations.map(({ ruleName }) => ruleName));
  const acknowledged = app.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap(({ data }) => Object.entries<string>(data));
  const strict = Object.assign(new AwsSolutionsChecks(app), { isAcknowledged: () => false });

  expect(found(new AwsSolutionsChecks(app))).toEqual(new Set());
  expect(found(strict)).toEqual(new Set(acknowledged.map(([id]) => id.replace("Annotation::", ""))));
  expect(acknowledged.map(([, reason]) => reason)).not.toContain("");
});
