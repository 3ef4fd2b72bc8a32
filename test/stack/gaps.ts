/** Which adaptations the emulator still needs: we deploy the stack without one of them and see whether it works. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CloudFormationClient, CreateStackCommand, waitUntilStackCreateComplete } from "@aws-sdk/client-cloudformation";
import { GetBucketTaggingCommand, PutBucketTaggingCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { projectRoot } from "../../infra/stack/bundling.ts";
import { missingCredentials, noRoute } from "../../lib/http/error-catalogue.ts";
import { expectError } from "../deployed/expect.ts";
import { request } from "../deployed/request.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { type Adaptation, adaptTemplate, type Template } from "./adaptations.ts";

/** The stack's own template, with the settings whose resources need an adaptation. */
export const ownTemplate = (): Template => {
  const folder = temporaryFolder();
  const { context } = JSON.parse(readFileSync(join(projectRoot, "cdk.json"), "utf8"));
  const settings = { ...context, stage: "gaps", keyRateLimit: "600", removeEverything: "true" };
  const env = { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(settings) };
  execFileSync(process.execPath, [join(projectRoot, "infra/app.ts")], { env, stdio: "ignore" });
  const file = readdirSync(folder).find((name) => name.endsWith(".template.json")) ?? "";
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
};

/** Returns the API's URL, or undefined if CloudFormation rejects the template. */
const createStack = async (template: Template): Promise<string | undefined> => {
  const client = new CloudFormationClient();
  const stack = { StackName: `gaps-${randomUUID()}` };
  const TemplateBody = JSON.stringify(template);
  try {
    await client.send(new CreateStackCommand({ ...stack, TemplateBody, Capabilities: ["CAPABILITY_IAM"] }));
    const { reason } = await waitUntilStackCreateComplete({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, stack);
    return reason.Stacks[0].Outputs.find((one: { OutputKey: string }) => one.OutputKey === "ApiUrl").OutputValue;
  } catch {
    return undefined;
  }
};

/** Whether a stack with these adaptations can be created, and responds as the contract says. */
export const works = async (own: Template, adaptations: Adaptation[]): Promise<boolean> => {
  const template = adaptTemplate(structuredClone(own), adaptations, process.env.AWS_ENDPOINT_URL ?? "");
  const url = await createStack(template);
  if (url === undefined) return false;
  try {
    expectError(await request(`${url}/v2/accounts/a/messages/m`), missingCredentials);
    expectError(await request(`${url}/v2/unknown`), noRoute);
    return true;
  } catch {
    return false;
  }
};

/**
 * Puts an email into a bucket. CDK's function empties only buckets with a tag, which MiniStack's CloudFormation ignores although
 * it is in our template, so we tag the bucket here.
 */
export const fillBucket = async (Bucket: string): Promise<void> => {
  const s3 = new S3Client({ forcePathStyle: true });
  await s3.send(new PutObjectCommand({ Bucket, Key: "letter.eml", Body: "Hello" }));
  const tags = await s3.send(new GetBucketTaggingCommand({ Bucket })).catch(() => undefined);
  if (tags) throw new Error("MiniStack tags buckets now. Delete the tagging from fillBucket");
  const TagSet = [{ Key: "aws-cdk:auto-delete-objects", Value: "true" }];
  await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
};
