/** A deployment that leaves out a setting of the deployed stack. */
import { describe, expect, test } from "vitest";
import { checkRemovals } from "../../../infra/stack/removals.ts";
import { operations } from "../../../lib/http/operations.ts";
import { runApp } from "../../harness/cloudformation.ts";
import { everySetting, synthesise, templateWith, withoutBundles } from "../../harness/synthesise.ts";

const templateOf = (settings: Record<string, string>) => templateWith(settings).toJSON();

const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";
const own = templateOf({});
const restored = templateOf({ tableName: "restored" });
const intake = templateOf({ intake: "true" });
const domain = templateOf({ domain: "api.example.com", certificate });
const { Resources, ...others } = own;
const otherKeys = structuredClone(own);
otherKeys.Resources.TableCD117FA1.Properties.KeySchema[0].AttributeName = "id";

/** Returns what the stack would be if CloudFormation replaced the first resource of this type. */
const withAnother = (template: typeof own, type: string, change: object) => {
  const copy = structuredClone(template);
  const id = Object.keys(copy.Resources).find((each) => copy.Resources[each].Type === type) ?? "";
  copy.Resources[id].Properties = { ...copy.Resources[id].Properties, ...change };
  return copy;
};

const ses = templateOf({ ses: "receipts" });
const keepSes = "add --context ses=… and --context sesReceived=… as before";
const keepCode = "deploy a commit that has it";
const keepIntake = "add --context intake=true";
const otherType = structuredClone(own);
otherType.Resources.TableCD117FA1.Type = "AWS::DynamoDB::Table";

const cases: [what: string, deployed: object, next: object, part: string, keep: string][] = [
  ["the intake's bucket, queues and function", intake, own, "intake", keepIntake],
  ["the domain", domain, own, "domain", `add --context domain=api.example.com --context certificate=${certificate}`],
  [
    "the domain's name",
    domain,
    templateOf({ domain: "api.example.org", certificate }),
    "domain",
    `add --context domain=api.example.com --context certificate=${certificate}`,
  ],
  ["the topic of Amazon SES", ses, intake, "ses", keepSes],
  ["the table for an existing one", own, restored, "table", "leave out tableName"],
  ["an existing table for a new one", restored, own, "table", "add --context tableName=restored"],
  [
    "an existing table for another",
    restored,
    templateOf({ tableName: "other" }),
    "table",
    "add --context tableName=restored",
  ],
  ["the keys of the table", own, otherKeys, "table", "leave out tableName"],
  ["a function", own, synthesise(withoutBundles, operations.slice(1)).template.toJSON(), "GetMessage", keepCode],
  [
    "the table's name",
    own,
    withAnother(own, "AWS::DynamoDB::GlobalTable", { TableName: "x" }),
    "table",
    "leave out tableName",
  ],
  ["the type of the table", own, otherType, "table", "leave out tableName"],
  ["the bucket's name", intake, withAnother(intake, "AWS::S3::Bucket", { BucketName: "x" }), "intake", keepIntake],
  ["a queue's name", intake, withAnother(intake, "AWS::SQS::Queue", { QueueName: "x" }), "intake", keepIntake],
  ["a queue's order", intake, withAnother(intake, "AWS::SQS::Queue", { FifoQueue: true }), "intake", keepIntake],
  ["a function's name", own, withAnother(own, "AWS::Lambda::Function", { FunctionName: "x" }), "GetMessage", keepCode],
  [
    "a function's kind",
    own,
    withAnother(own, "AWS::Lambda::Function", { PackageType: "Image" }),
    "GetMessage",
    keepCode,
  ],
  ["the topic's name", ses, withAnother(ses, "AWS::SNS::Topic", { TopicName: "x" }), "ses", keepSes],
];

describe("A deployment that would remove or replace", () => {
  test.each(cases)("%s is rejected, and the error says how to keep it", (_, deployed, next, part, keep) => {
    expect(() => checkRemovals(deployed, next, [])).toThrow(
      expect.objectContaining({
        name: "UserError",
        message: expect.stringMatching(
          new RegExp(
            `^This deployment would remove or replace ${part} \\(.+\\)\\. To keep it, ${keep}\\. To let it go, add --context remove=${part}$`,
          ),
        ),
      }),
    );
  });

  test.each(cases)("%s goes on if remove names it, and only then", (_, deployed, next, part) => {
    expect(() => checkRemovals(deployed, next, ["other", part])).not.toThrow();
    expect(() => checkRemovals(deployed, next, ["other", `${part}s`])).toThrow();
  });
});

test("The error names everything that would be lost", () => {
  expect(() => checkRemovals(intake, own, [])).toThrow(
    / intake \(IntakeEmails\w+, IntakeDeadLetters\w+, IntakeEvents\w+, IntakeRecordEventsFunction\w+\)\. /,
  );
});

test("The error names the table that would no longer be used, once", () => {
  expect(() => checkRemovals(restored, own, [])).toThrow(/^This .* table \(restored\)\. /);
  expect(() => checkRemovals(own, restored, [])).toThrow(/^This .* table \(Table\w+\)\. .*$/);
});

test("Several parts are several lines", () => {
  const { concurrency: _, ...settings } = everySetting;
  expect(() => checkRemovals(templateOf(settings), restored, [])).toThrow(
    / table \(.*\n.* domain \(.*\n.* intake \(.*\n.* ses \(/,
  );
});

test.each([
  ["a new stack", {}, intake],
  ["no change", intake, intake],
  ["an addition", own, templateOf({ intake: "true", domain: "api.example.com", certificate, keyRateLimit: "600" })],
  ["protected data", templateOf({ intake: "true", removeEverything: "true" }), intake],
  ["another function's code", { Resources: { ...Resources }, ...others }, templateOf({ concurrency: "50" })],
])("A deployment with %s goes on", (_, deployed, next) => {
  expect(() => checkRemovals(deployed, next, [])).not.toThrow();
});

test("The CDK app compares with the stack of the stage, and ends with one line before anything changes", async () => {
  const state = { status: "CREATE_COMPLETE", template: intake };
  const elsewhere = { AWS_REGION: "us-east-1" };
  const asked: string[] = [];

  expect(await runApp(state)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^This deployment .* intake \(.*\n$/),
  });
  expect(await runApp(state, { stage: "dev", remove: "intake" }, elsewhere, asked)).toMatchObject({
    status: 0,
    stderr: "",
  });
  expect(asked).toEqual(["DescribeStacks EmailApi-dev eu-west-1", "GetTemplate EmailApi-dev eu-west-1"]);
});
