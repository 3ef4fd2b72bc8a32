/** The stack as a whole: its name, its outputs, and AWS's own review of it. */
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { everySetting, synthesise, templateWith, withoutBundles } from "../harness/synthesise.ts";

test("A stage names the stack, the API's stage and the dashboard, the region too, so that none meet", () => {
  const { stack, template } = synthesise({ ...withoutBundles, stage: "dev" });

  expect(stack.stackName).toBe("EmailApi-dev");
  template.hasResourceProperties("AWS::ApiGateway::RestApi", { Name: "EmailApi-dev" });
  template.hasResourceProperties("AWS::ApiGateway::Stage", { StageName: "dev" });
  template.hasResourceProperties("AWS::CloudWatch::Dashboard", { DashboardName: "EmailApi-dev-eu-west-1" });
});

test("A moved construct deploys no empty table, bucket or queue, because their logical ids never change", () => {
  const kept = /^AWS::(DynamoDB::GlobalTable|S3::Bucket|SQS::Queue)$/;
  const { Resources } = templateWith({ intake: "true" }).toJSON();

  const ids = Object.keys(Resources).filter((id) => kept.test(Resources[id].Type));

  expect(ids).toEqual([
    "TableCD117FA1",
    "IntakeEmails660010F9",
    "IntakeDeadLettersA15864BB",
    "IntakeEventsC73C3BCC",
  ]);
});

test("CloudFormation deletes a stack only if removeEverything is set", () => {
  expect(synthesise(withoutBundles).stack.terminationProtection).toBe(true);
  expect(synthesise({ ...withoutBundles, removeEverything: "true" }).stack.terminationProtection).toBe(false);
});

test("Every log is kept as long as the setting says, and goes with a stack that is thrown away", () => {
  const template = templateWith({ logRetentionDays: "365", removeEverything: "true" });

  template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 365 });
  template.allResources("AWS::Logs::LogGroup", { DeletionPolicy: "Delete" });
  templateWith().allResources("AWS::Logs::LogGroup", { DeletionPolicy: "Retain" });
});

test("The outputs name what the next commands ask for", () => {
  const { Outputs } = templateWith().toJSON();

  expect(Object.keys(Outputs)).toEqual([
    "ApiUrl",
    "TableName",
    "DashboardUrl",
    "MetricNamespace",
    "GetMessageLogGroup",
    "GetMessageRoleArn",
    "AddAccountMemberLogGroup",
    "AddAccountMemberRoleArn",
  ]);
  expect(JSON.stringify(Outputs.DashboardUrl)).toMatch(/#dashboards\/dashboard\/.*Dashboard/);
});

describe("AWS's own review, cdk-nag's AwsSolutions,", () => {
  const { app } = synthesise(withoutBundles);
  const found = (checks: AwsSolutionsChecks, of = app) =>
    checks.validateScope(of).violations.map(({ ruleName }) => ruleName);

  const setAside = () =>
    app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries<string>(data))
      .map(([id, reason]) => [id.replace("Annotation::", ""), reason] as const);

  test("finds nothing but what the code sets aside with a reason", () => {
    expect(found(new AwsSolutionsChecks(app))).toEqual([]);
    expect(setAside().map(([, reason]) => reason)).not.toContain("");
  });

  test("finds nothing either where every setting is used", () => {
    const { app: full } = synthesise({ ...withoutBundles, ...everySetting });

    expect(found(new AwsSolutionsChecks(full), full)).toEqual([]);
  });

  test("would find each of those, were it not set aside", () => {
    const unheeding = new AwsSolutionsChecks(app);
    Object.assign(unheeding, { isAcknowledged: () => false });

    expect(found(unheeding).sort()).toEqual(
      setAside()
        .map(([id]) => id)
        .sort(),
    );
  });
});
