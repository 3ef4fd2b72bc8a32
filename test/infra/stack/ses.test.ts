/** What the settings `ses` and `sesReceived` add to the template. */
import { expect, test } from "vitest";
import { ofType, type Resource, templateWith } from "../../harness/synthesise.ts";

const ses = { ses: "marketing,receipts" };
const received = { sesReceived: "inbound:example.com" };

/** A template's text, with intrinsic functions joined. */
const flat = (value: unknown): string => JSON.stringify(value).replaceAll(/"\]?,\{"Ref":"AWS::(\w+)"\},?\[?"/g, "$1");

const statementsOf = (settings: object, type: string): { Action: string; Condition?: object; Principal: object }[] =>
  ofType(templateWith({ ...settings }), type).flatMap(({ Properties }) => Properties.PolicyDocument.Statement);

const ofSes = (settings: object, type: string) =>
  statementsOf(settings, type).filter(({ Principal }) => flat(Principal).includes("ses.amazonaws.com"));

test("ses adds an event destination to each configuration set, and an intake", () => {
  const template = templateWith(ses);

  const destinations = ofType(template, "AWS::SES::ConfigurationSetEventDestination");
  expect(destinations.map(({ Properties }) => Properties)).toMatchObject([
    { ConfigurationSetName: "marketing", EventDestination: { Enabled: true, SnsDestination: {} } },
    { ConfigurationSetName: "receipts" },
  ]);
  expect(destinations[0]?.Properties.EventDestination.MatchingEventTypes.toSorted()).toEqual([
    ...["bounce", "click", "complaint", "delivery", "deliveryDelay", "open", "reject", "renderingFailure", "send"],
  ]);
  expect(ofType(template, "AWS::SES::ReceiptRule")).toEqual([]);
});

test("The topic delivers raw events to the intake's queue, which accepts them from no other topic", () => {
  const [subscription] = ofType(templateWith(ses), "AWS::SNS::Subscription");

  expect(subscription?.Properties).toMatchObject({ Protocol: "sqs", RawMessageDelivery: true });
  const allowed = statementsOf(ses, "AWS::SQS::QueuePolicy").filter(({ Action }) => Action === "sqs:SendMessage");
  const ofSns = { Principal: { Service: "sns.amazonaws.com" }, Condition: { ArnEquals: { "aws:SourceArn": {} } } };
  expect(allowed).toMatchObject([ofSns, ofSns]); // What can't be delivered becomes a dead letter.
});

test("SES may publish for these configuration sets and this rule of the AWS account, before they know the topic", () => {
  const settings = { ...ses, ...received };
  const statements = ofSes(settings, "AWS::SNS::TopicPolicy");

  expect(statements.map(({ Action }) => Action)).toEqual(Array(3).fill("sns:Publish"));
  expect(statements.map(({ Condition }) => flat(Condition))).toEqual([
    expect.stringMatching(/SourceArn.*configuration-set\/marketing"/),
    expect.stringMatching(/SourceArn.*configuration-set\/receipts"/),
    expect.stringMatching(/SourceArn.*receipt-rule-set\/inbound:receipt-rule\/EmailApi-prod"/),
  ]);
  for (const { Condition } of statements) expect(flat(Condition)).toContain('"aws:SourceAccount":{"Ref":"AWS::Acc');
  const [policy = ""] = Object.keys(templateWith(settings).findResources("AWS::SNS::TopicPolicy"));
  const isAfter = ({ DependsOn }: Resource & { DependsOn?: string[] }) => DependsOn?.includes(policy);
  const types = ["AWS::SES::ConfigurationSetEventDestination", "AWS::SES::ReceiptRule"];
  expect(types.flatMap((type) => ofType(templateWith(settings), type)).map(isAfter)).toEqual([true, true, true]);
});

test("sesReceived adds a rule that puts a domain's emails into the intake's bucket, and prints the command to activate it", () => {
  const template = templateWith(received);

  const [rule] = ofType(template, "AWS::SES::ReceiptRule");
  expect(rule?.Properties).toMatchObject({
    RuleSetName: "inbound",
    Rule: { Name: "EmailApi-prod", Enabled: true, Recipients: ["example.com"], ScanEnabled: true },
  });
  expect(rule?.Properties.Rule.Actions).toMatchObject([
    { S3Action: { ObjectKeyPrefix: "ses-received/", TopicArn: {} } },
  ]);
  const [put] = ofSes(received, "AWS::S3::BucketPolicy");
  expect(put).toMatchObject({ Action: "s3:PutObject" });
  expect(flat(put)).toContain("/ses-received/*");
  expect(flat(put)).toContain("receipt-rule-set/inbound:receipt-rule/EmailApi-prod");
  expect(flat(template.findOutputs("ActivateRuleSet"))).toContain("--rule-set-name inbound");
});
