/** The intake as the template has it, and the rest of the stack without it. */
import { describe, expect, test } from "vitest";
import { receivesWithin } from "../../../lib/events/redelivery.ts";
import { daySeconds } from "../../../lib/time/clock.ts";
import { type Resource, templateWith } from "../../harness/synthesise.ts";

const intake = { intake: "true" };

/** Returns the properties of the resource whose logical id starts with this text. */
const find = (type: string, start: string, settings: object = intake): Resource["Properties"] => {
  const resources = templateWith({ ...intake, ...settings }).findResources(type);
  const [, found] = Object.entries(resources).find(([id]) => id.startsWith(start)) ?? [];
  return (found as Resource).Properties;
};

test("Without the setting, the stack has no intake", () => {
  const types = Object.values<Resource>(templateWith().toJSON().Resources).map(({ Type }) => Type);

  expect(types.filter((type) => /S3|SQS|EventSource/.test(type))).toEqual([]);
  expect(templateWith().toJSON()).toEqual(templateWith({ intake: "false" }).toJSON());
});

test("The setting changes only the dashboard of a stack without intake, and no function or permission", () => {
  const without: Record<string, Resource> = templateWith().toJSON().Resources;
  const all: Record<string, Resource> = templateWith(intake).toJSON().Resources;

  const changed = Object.keys(without).filter((id) => JSON.stringify(without[id]) !== JSON.stringify(all[id]));

  expect(changed).toEqual([expect.stringMatching(/^MonitoringDashboard/)]);
});

describe("The bucket", () => {
  test("is private and encrypted, and keeps an email as long as an event can need it", () => {
    expect(find("AWS::S3::Bucket", "IntakeEmails")).toMatchObject({
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

  test("rejects requests without TLS 1.2", () => {
    expect(find("AWS::S3::BucketPolicy", "IntakeEmails").PolicyDocument.Statement).toMatchObject([
      { Effect: "Deny", Action: "s3:*", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      { Effect: "Deny", Action: "s3:*", Condition: { NumericLessThan: { "s3:TlsVersion": 1.2 } } },
    ]);
  });
});

describe("The queues", () => {
  test.each([
    ["Events", 7],
    ["DeadLetters", 14],
  ])("%s keeps events for %i days after they were sent", (name, days) => {
    expect(find("AWS::SQS::Queue", `Intake${name}`)).toMatchObject({
      MessageRetentionPeriod: days * daySeconds,
      SqsManagedSseEnabled: true,
    });
  });

  test("hide an event for six times the function's timeout, as AWS recommends", () => {
    const { Timeout } = find("AWS::Lambda::Function", "IntakeRecordEvents");

    expect(find("AWS::SQS::Queue", "IntakeEvents").VisibilityTimeout).toBe(6 * Timeout);
  });

  test.each(["60", "1"])("turn an event that fails for deadLetterMinutes=%s into a dead letter", (minutes) => {
    const { RedrivePolicy } = find("AWS::SQS::Queue", "IntakeEvents", { deadLetterMinutes: minutes });

    expect(RedrivePolicy.maxReceiveCount).toBe(receivesWithin(60 * Number(minutes)));
  });

  test("report failures per event", () => {
    expect(find("AWS::Lambda::EventSourceMapping", "IntakeRecordEvents")).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
  });

  test.each([
    [{}, 5],
    [{ concurrency: "50" }, 5],
    [{ eventConcurrency: "1000" }, 1000],
  ])("with %j, run the function at most %i times at once, and take nothing from the API", (settings, most) => {
    const { ScalingConfig } = find("AWS::Lambda::EventSourceMapping", "IntakeRecordEvents", settings);
    const { ReservedConcurrentExecutions } = find("AWS::Lambda::Function", "IntakeRecordEvents", settings);

    expect(ScalingConfig).toEqual({ MaximumConcurrency: most });
    expect(ReservedConcurrentExecutions).toBeUndefined();
  });

  test("are nobody's dead-letter queue, as far as a template can say so", () => {
    expect(find("AWS::SQS::Queue", "IntakeEvents").RedriveAllowPolicy).toEqual({ redrivePermission: "denyAll" });
  });
});

test.each([
  ["outlive the intake", {}, "RetainExceptOnCreate", 0],
  ["are deleted if removeEverything is set", { removeEverything: "true" }, "Delete", 1],
])("Emails, events and dead letters %s", (_, settings, policy, emptied) => {
  const template = templateWith({ ...intake, ...settings });
  const policies = ["AWS::S3::Bucket", "AWS::SQS::Queue"]
    .flatMap((type) => Object.values(template.findResources(type)))
    .map(({ DeletionPolicy }) => DeletionPolicy);

  expect(policies).toEqual(Array(3).fill(policy));
  template.resourceCountIs("Custom::S3AutoDeleteObjects", emptied);
});

test("The function that empties the bucket logs into a group of the stack, which goes with the stack", () => {
  const template = templateWith({ ...intake, removeEverything: "true" });
  const [handler] = Object.values(
    template.findResources("AWS::Lambda::Function", {
      Properties: { Handler: "index.handler", Timeout: 900 },
    }),
  );
  const { Ref = "" } = handler?.Properties.LoggingConfig.LogGroup ?? {};

  expect(template.toJSON().Resources[Ref]).toMatchObject({
    Type: "AWS::Logs::LogGroup",
    DeletionPolicy: "Delete",
  });
});

describe("Least privilege", () => {
  const shown = (statements: Resource["Properties"][]) =>
    statements.map(({ Action, Condition }) => [
      [Action].flat().join(" "),
      Condition?.["ForAllValues:StringLike"]["dynamodb:LeadingKeys"].join(" "),
      Condition?.["ForAnyValue:StringEquals"]?.["dynamodb:EnclosingOperation"].join(" "),
    ]);
  const sqs = "ChangeMessageVisibility DeleteMessage GetQueueAttributes GetQueueUrl ReceiveMessage";

  test("RecordEvents may record events, read emails and receive events, and no more", () => {
    const { PolicyDocument } = find("AWS::IAM::Policy", "IntakeRecordEventsRole");

    expect(shown(PolicyDocument.Statement)).toEqual([
      ["logs:CreateLogStream logs:PutLogEvents", undefined, undefined],
      ["dynamodb:GetItem", "MESSAGE#* EVENT#* MARKER#* SENDER#*", undefined],
      ["dynamodb:DeleteItem dynamodb:PutItem", "MESSAGE#*", undefined],
      ["dynamodb:PutItem dynamodb:UpdateItem", "MESSAGE#* EVENT#* MARKER#*", "TransactWriteItems"],
      ["s3:GetObject", undefined, undefined],
      [sqs.replaceAll(/\w+/g, "sqs:$&"), undefined, undefined],
    ]);
  });

  test("A pipeline may put objects and send messages, and no more", () => {
    const { PolicyDocument } = find("AWS::IAM::ManagedPolicy", "IntakePipeline");

    expect(shown(PolicyDocument.Statement).map(([actions]) => actions)).toEqual(["s3:PutObject", "sqs:SendMessage"]);
  });
});

test("The outputs name everything that a pipeline needs", () => {
  expect(Object.keys(templateWith(intake).toJSON().Outputs)).toEqual(
    expect.arrayContaining(
      "EmailBucketName,EventQueueUrl,DeadLetterQueueUrl,PipelinePolicyArn,RecordEventsLogGroup,AccessLogGroup".split(
        ",",
      ),
    ),
  );
});
