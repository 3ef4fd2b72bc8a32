/** The stack as the CDK command builds it, without the command. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll } from "vitest";
import { readSettings } from "../../infra/settings.ts";
import { EmailApiStack } from "../../infra/stack.ts";
import { operations as allOperations, type Operation } from "../../lib/api/operations.ts";

const cdkJson = JSON.parse(readFileSync(new URL("../../cdk.json", import.meta.url), "utf8"));

/** Without bundles a template takes a fraction of the time; the rest of it is the same. */
export const withoutBundles = { "aws:cdk:bundling-stacks": [] };

const assemblies = mkdtempSync(join(tmpdir(), "email-api-"));
afterAll(() => rmSync(assemblies, { recursive: true }));

/** A resource of a template, which is JSON of any shape. */
export type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own types are no part of a template
  Properties: Record<string, any>;
};

/** @param context what `--context` gives, beside that of cdk.json */
export const synthesise = (
  context: Record<string, unknown> = {},
  operations: readonly Operation[] = allOperations,
) => {
  const app = new App({
    context: { ...cdkJson.context, ...context },
    outdir: mkdtempSync(join(assemblies, "cdk.out-")),
  });
  const settings = readSettings(app.node.getAllContext());
  const stack = new EmailApiStack(app, { settings, operations, region: "eu-west-1" });
  return { app, stack, template: Template.fromStack(stack), directory: app.outdir };
};
