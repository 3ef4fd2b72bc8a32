/** The way in for messages and events, as the template has it, and the rest of the stack without it. */
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { addAccountMember, getMessage } from "../../lib/api/operations.ts";
import { receivesWithin } from "../../lib/intake/event-lifetime.ts";
import { ofType, type Resource, synthesise, templateWith, withoutBundles } from "../harness/synthesise.ts";

const template = templateWith({ intake: "true" });

const find = (
  type: string,
  part: string,
  settings: Record<string, string> = { intake: "true" },
): Resource["Properties"] => {
  const [, found] =
    Object.entries(templateWith(settings).findResources(type)).find(([id]) => id.startsWith(part)) ?? [];
  return (found as Resource).Properties;
};

test("Without the setting there is nothing of it", () => {
  const types = Object.values(templateWith().toJSON().Resources as Record<string, Resource>).map(
    ({ Type }) => Type,
  );

  expect(types.filter((type) => /S3|SQS|EventSource|ManagedPolicy/.test(type))).toEqual([]);
  expect(templateWith().toJSON()).toEqual(templateWith({ intake: "false" }).toJSON());
});

test("With it, all else is what it was, bundles and permissions included, but for the dashboard's last row", () => {
  const without = synthesise().template.toJSON().Resources as Record<string, Resource>;
  const all = synthesise({ intake: "true" }).template.toJSON().Resources as Record<string, Resource>;

  const changed = Object.keys(without).filter(
    (id) => JSON.stringify(without[id]) !== JSON.stringify(all[id]),
  );

  expect(changed).toEqual([expect.stringMatching(/^MonitoringDashboard/)]);
  const functions = [getMessage, addAccountMember].map(({ id }) =>
    Object.keys(without).find((name) => name.startsWith(`${id}Function`)),
  );
  expect(functions.map((id) => all[id ?? ""]?.Properties.Code)).toEqual(
    functions.map((id) => without[id ?? ""]?.Properties.Code),
  );
}, 120_000);

describe("The bucket", () => {
  const bucket = find("AWS::S3::Bucket", "IntakeEmails");

  test("is private and encrypted, and keeps an email as long as an event can need it", () => {
    expect(bucket).toMatchObject({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 28, Status: "Enabled" }] },
    });
  });

  test("refuses whoever does not speak TLS 1.2", () => {
    const Properties = find("AWS::S3::BucketPolicy", "IntakeEmails");

    expect(Properties.PolicyDocument.Statement).toMatchObject([
      { Effect: "Deny", Action: "s3:*", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      { Effect: "Deny", Action: "s3:*", Condition: { NumericLessThan: { "s3:TlsVersion": 1.2 } } },
    ]);
  });
});

describe("The queues", () => {
  test("keep events for 7 days, and dead letters for 14 since they were sent", () => {
    expect(find("AWS::SQS::Queue", "IntakeEvents")).toMatchObject({
      MessageRetentionPeriod: 7 * 24 * 60 * 60,
      SqsManagedSseEnabled: true,
    });
    expect(find("AWS::SQS::Queue", "IntakeDeadLetters")).toMatchObject({
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
      SqsManagedSseEnabled: true,
    });
  });

  test("hide an event for six times the time that the function has, and give it up after 62 attempts", () => {
    const { Timeout } = find("AWS::Lambda::Function", "IntakeRecordEvents");

    expect(find("AWS::SQS::Queue", "IntakeEvents")).toMatchObject({
      VisibilityTimeout: 6 * Timeout,
      RedrivePolicy: { maxReceiveCount: 62 },
    });
  });

  test("give an event up after fewer attempts if deadLetterMinutes is set", () => {
    const settings = { intake: "true", deadLetterMinutes: "1" };

    expect(find("AWS::SQS::Queue", "IntakeEvents", settings).RedrivePolicy.maxReceiveCount).toBe(
      receivesWithin(60),
    );
  });

  test("are emptied by the function alone, which reports failures one by one", () => {
    const Properties = find("AWS::Lambda::EventSourceMapping", "IntakeRecordEvents");

    expect(Properties).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ["ReportBatchItemFailures"] });
    expect(Properties.ScalingConfig).toEqual({ MaximumConcurrency: 5 });
  });

  test.each([
    ["1", 2],
    ["50", 50],
    ["5000", 1000],
  ])(
    "with concurrency %s, hand at most %s batches to the function at once",
    (concurrency, MaximumConcurrency) => {
      const settings = { intake: "true", concurrency };
      const Properties = find("AWS::Lambda::EventSourceMapping", "IntakeRecordEvents", settings);
      const { ReservedConcurrentExecutions } = find("AWS::Lambda::Function", "IntakeRecordEvents", settings);

      expect(Properties.ScalingConfig).toEqual({ MaximumConcurrency });
      expect(ReservedConcurrentExecutions).toBeGreaterThanOrEqual(MaximumConcurrency);
    },
  );
});

describe("When the stack no longer has it", () => {
  const policies = (settings: Record<string, string>): string[] =>
    ["AWS::S3::Bucket", "AWS::SQS::Queue"]
      .flatMap((type) => Object.values(templateWith(settings).findResources(type)))
      .map(({ DeletionPolicy }) => DeletionPolicy);

  test("emails, events and dead letters stay", () => {
    expect(policies({ intake: "true" })).toEqual(Array(3).fill("Retain"));
  });

  test("all of them go with removeEverything, and the bucket is emptied before", () => {
    const settings = { intake: "true", removeEverything: "true" };

    expect(policies(settings)).toEqual(Array(3).fill("Delete"));
    templateWith(settings).resourceCountIs("Custom::S3AutoDeleteObjects", 1);
  });
});

describe("Least privilege", () => {
  const shown = (statements: Resource["Properties"][]) =>
    statements.map(({ Action, Condition }) => [
      Action,
      Condition?.["ForAllValues:StringLike"]["dynamodb:LeadingKeys"],
      Condition?.["ForAnyValue:StringEquals"]?.["dynamodb:EnclosingOperation"],
    ]);

  test("The function gets, puts and updates the items that it writes, reads emails, takes events, and no more", () => {
    const { PolicyDocument } = find("AWS::IAM::Policy", "IntakeRecordEventsRole");

    expect(shown(PolicyDocument.Statement)).toEqual([
      [["logs:CreateLogStream", "logs:PutLogEvents"], undefined, undefined],
      ["dynamodb:GetItem", ["MESSAGE#*", "EVENT#*", "TRACE#*"], undefined],
      ["dynamodb:PutItem", ["MESSAGE#*"], undefined],
      [
        ["dynamodb:PutItem", "dynamodb:UpdateItem"],
        ["MESSAGE#*", "EVENT#*", "TRACE#*"],
        ["TransactWriteItems"],
      ],
      ["s3:GetObject", undefined, undefined],
      [
        [
          "sqs:ChangeMessageVisibility",
          "sqs:DeleteMessage",
          "sqs:GetQueueAttributes",
          "sqs:GetQueueUrl",
          "sqs:ReceiveMessage",
        ],
        undefined,
        undefined,
      ],
    ]);
  });

  test("A pipeline puts objects and sends messages, and no more", () => {
    const { PolicyDocument } = find("AWS::IAM::ManagedPolicy", "IntakePipeline");

    expect(shown(PolicyDocument.Statement)).toEqual([
      ["s3:PutObject", undefined, undefined],
      ["sqs:SendMessage", undefined, undefined],
    ]);
  });
});

test("The outputs name all that a pipeline must know", () => {
  expect(Object.keys(template.toJSON().Outputs)).toEqual(
    expect.arrayContaining(["EmailBucketName", "EventQueueUrl", "DeadLetterQueueUrl", "PipelinePolicyArn"]),
  );
});

test("Alarms sound at a dead letter, at an event that waits for half an hour, and at a function that crashes", () => {
  const alarms = ofType(template, "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);

  expect(
    alarms.slice(0, 3).map(({ MetricName, Statistic, Threshold }) => [MetricName, Statistic, Threshold]),
  ).toEqual([
    ["ApproximateNumberOfMessagesVisible", "Maximum", 0],
    ["ApproximateAgeOfOldestMessage", "Maximum", 1800],
    ["Errors", "Sum", 0],
  ]);
});

test("AWS's own review finds nothing but what is set aside with a reason", () => {
  const { app } = synthesise({ ...withoutBundles, intake: "true" });

  const { violations } = new AwsSolutionsChecks(app).validateScope(app);

  expect(violations.map(({ ruleName }) => ruleName)).toEqual([]);
  const unheeding = new AwsSolutionsChecks(app);
  Object.assign(unheeding, { isAcknowledged: () => false });
  const setAside = app.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap(({ data }) => Object.keys(data));
  const found = new Set(unheeding.validateScope(app).violations.map(({ ruleName }) => ruleName));
  expect(new Set(setAside.map((id) => id.replace("Annotation::", "")))).toEqual(found);
});
