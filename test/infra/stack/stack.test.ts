/** The stack as a whole: names, outputs, and data that it must keep. */
import { expect, test } from "vitest";
import { operations } from "../../../lib/http/operations.ts";
import { synthesise, templateWith, withoutBundles } from "../../harness/synthesise.ts";

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

test("Every log is kept for logRetentionDays, and is deleted with its stack only if removeEverything is set", () => {
  const template = templateWith({ logRetentionDays: "365", removeEverything: "true" });

  template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 365 });
  template.allResources("AWS::Logs::LogGroup", { DeletionPolicy: "Delete" });
  templateWith().allResources("AWS::Logs::LogGroup", { DeletionPolicy: "RetainExceptOnCreate" });
});

test("The outputs name everything that the next commands need", () => {
  const { Outputs } = templateWith().toJSON();

  expect(Object.keys(Outputs)).toEqual([
    ..."ApiUrl,TableName,DashboardUrl,AccessLogGroup,MetricNamespace".split(","),
    ...operations.flatMap(({ id }) => [`${id}LogGroup`, `${id}RoleArn`]),
    "DeskPolicyArn",
  ]);
  expect(JSON.stringify(Outputs.DashboardUrl)).toMatch(
    /FindInMap.*AWS::Partition.*#dashboards\/dashboard\/.*Dashboard/,
  );
});
