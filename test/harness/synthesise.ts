/** Synthesises the stack without the CDK command. */
import { readFileSync } from "node:fs";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { readSettings } from "../../infra/stack/settings.ts";
import { EmailApiStack } from "../../infra/stack/stack.ts";
import { operations as allOperations, type Operation } from "../../lib/http/operations.ts";
import { temporaryFolder } from "./temporary-folder.ts";

// The validation takes seconds. One other test runs `cdk synth` with it.
process.env.CDK_VALIDATION = "false";

export const cdkJson = JSON.parse(readFileSync(new URL("../../cdk.json", import.meta.url), "utf8"));

/** Context that skips the bundles, which take most of the time. The template is the same otherwise. */
export const withoutBundles = { "aws:cdk:bundling-stacks": ["none"] };

const region = "eu-west-1";

/** A value for each setting that adds resources, so that the stack contains all of them. */
export const everySetting = {
  stage: "dev",
  domain: "api.example.com",
  certificate: "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d",
  alarmTopic: "arn:aws:sns:eu-west-1:123456789012:on-call",
  keyRateLimit: "600",
  concurrency: "50",
  replicaRegions: "us-west-2",
  eventConcurrency: "20",
  intake: "true",
  kmsKey: "arn:aws:kms:eu-west-1:123456789012:key/mrk-1234abcd12ab34cd56ef1234567890ab",
  tracing: "true",
  tags: "team=mail,cost-center=42",
  ses: "marketing,receipts",
  sesReceived: "inbound:example.com",
};

/** @param context the values of `--context`, in addition to cdk.json */
export const synthesise = (
  context: Record<string, unknown> = {},
  operations: readonly Operation[] = allOperations,
  isNew = false,
) => {
  const app = new App({
    context: { ...cdkJson.context, ...context },
    outdir: temporaryFolder(),
  });
  const settings = readSettings(app.node.getAllContext(), region);
  const stack = new EmailApiStack(app, { settings, operations, region, isNew });
  return { app, stack, template: Template.fromStack(stack), directory: app.outdir };
};

const kept = new Map<string, Template>();

/** Returns the template for settings, without bundles. A process synthesises each template once. */
export const templateWith = (settings: Record<string, unknown> = {}): Template => {
  const name = JSON.stringify(settings);
  const template = kept.get(name) ?? synthesise({ ...withoutBundles, ...settings }).template;
  kept.set(name, template);
  return template;
};

/** A resource of a template. */
export type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template has no types of its resources
  Properties: Record<string, any>;
};

/** A reference from one resource to another. */
export type Reference = { Ref: string } | { "Fn::GetAtt": [string, string] };

export const nameIn = (reference: Reference): string =>
  "Ref" in reference ? reference.Ref : reference["Fn::GetAtt"][0];

export const ofType = (template: Template, type: string): Resource[] =>
  Object.values(template.findResources(type)) as Resource[];

/** Returns the resource of a reference. */
export const follow = (template: Template, reference: Reference): Resource =>
  template.toJSON().Resources[nameIn(reference)];

/** Returns the Lambda function of an operation. */
export const functionOf = (template: Template, { method, path }: Operation): Resource => {
  const Description = `${method} ${path}`;
  const [found] = Object.values(template.findResources("AWS::Lambda::Function", { Properties: { Description } }));
  return found as Resource;
};
