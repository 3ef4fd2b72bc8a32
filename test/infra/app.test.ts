/** The CDK app as a newcomer runs it: without an account, credentials or set-up. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "../harness/process.ts";
import { cdkJson, everySetting, withoutBundles } from "../harness/synthesise.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Runs a command in a new home folder, with this context of CDK. */
const runInNewHome = (command: string, context?: object, variables: Record<string, string> = {}) =>
  run(`PATH=node_modules/.bin:$PATH ${command}`, {
    variables: {
      HOME: temporaryFolder(),
      AWS_EC2_METADATA_DISABLED: "true",
      ...(context && { CDK_CONTEXT_JSON: JSON.stringify(context) }),
      ...variables,
    },
  });

test("cdk synth needs no credentials and prints no warnings", async () => {
  const assembly = temporaryFolder();

  const { status, stderr } = await runInNewHome(`cdk synth --quiet --output ${assembly} --context stage=dev`);

  expect(status).toBe(0);
  expect(readdirSync(assembly)).toContain("EmailApi-dev.template.json");
  expect(stderr.split("\n").filter((line) => line !== "" && !line.startsWith("Bundling asset "))).toEqual([]);
});

test("A stack with every setting passes CloudFormation's own rules", async () => {
  const CDK_OUTDIR = temporaryFolder();
  const context = { ...cdkJson.context, ...withoutBundles, ...everySetting };

  const outcome = await runInNewHome("node infra/app.ts", context, {
    CDK_OUTDIR,
    CDK_DEFAULT_REGION: "eu-west-1",
  });

  expect(outcome).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(CDK_OUTDIR)).toContain("EmailApi-dev.template.json");
});

test("A setting without a value ends the command, instead of being left out of the deployment", async () => {
  expect(await runInNewHome("npm run -s deploy -- --context intake -cstage=dev -c domain= --context")).toMatchObject({
    status: 2,
    stderr:
      "--context intake has no value: write --context intake=VALUE\n" +
      "--context domain= has no value: write --context domain=VALUE\n" +
      "--context  has no value: write --context NAME=VALUE\n",
  });
});

test("Commands that deploy nothing, such as cdk bootstrap, need no setting", async () => {
  const CDK_OUTDIR = temporaryFolder();
  const context = { ...cdkJson.context, "aws:cdk:bundling-stacks": [], stages: { dev: {} } };

  const outcome = await runInNewHome("node infra/app.ts", context, { CDK_OUTDIR });

  expect(outcome).toMatchObject({ status: 0, stderr: "cdk.json has no stage named prod. Its stages are dev\n" });
  expect(readdirSync(CDK_OUTDIR)).toContain("NoStack.template.json");
});

test("A wrong setting, also for this region, ends the command with one line", async () => {
  const context = { replicaRegions: "eu-west-1" };

  expect(await runInNewHome("node infra/app.ts", context, { CDK_DEFAULT_REGION: "eu-west-1" })).toMatchObject({
    status: 1,
    stderr: "replicaRegions must not name eu-west-1, because the stack itself is there\n",
  });
});
