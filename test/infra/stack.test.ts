/** The stack as a whole: names, outputs, data that it must keep, and AWS's review. */
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { operations } from "../../lib/api/operations.ts";
import { everySetting, synthesise, templateWith, withoutBundles } from "../harness/synthesise.ts";

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
    ..."ApiUrl,TableName,DashboardUrl,MetricNamespace".split(","),
    ...operations.flatMap(({ id }) => [`${id}LogGroup`, `${id}RoleArn`]),
  ]);
  expect(JSON.stringify(Outputs.DashboardUrl)).toMatch(/#dashboards\/dashboard\/.*Dashboard/);
});

describe("AWS's review, the AwsSolutions rules of cdk-nag,", () => {
  type App = ReturnType<typeof synthesise>["app"];
  const violations = (checks: AwsSolutionsChecks, app: App) =>
    checks.validateScope(app).violations.map(({ ruleName }) => ruleName);
  const acknowledgements = (app: App) =>
    app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries<string>(data));

  test.each([{}, { intake: "true" }, everySetting])(
    "finds only violations with a written reason: %j",
    (settings) => {
      const { app } = synthesise({ ...withoutBundles, ...settings });

      expect(violations(new AwsSolutionsChecks(app), app)).toEqual([]);
      expect(acknowledgements(app).map(([, reason]) => reason)).not.toContain("");
    },
  );

  test.each([{}, { intake: "true" }])(
    "would find each of these violations without its reason: %j",
    (settings) => {
      const { app } = synthesise({ ...withoutBundles, ...settings });
      const strict = Object.assign(new AwsSolutionsChecks(app), { isAcknowledged: () => false });

      expect(new Set(violations(strict, app))).toEqual(
        new Set(acknowledgements(app).map(([id]) => id.replace("Annotation::", ""))),
      );
    },
  );
});
