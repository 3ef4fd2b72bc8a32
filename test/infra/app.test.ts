/** `npx cdk synth` as a newcomer runs it: no account, no credentials, nothing set up. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../infra/bundling.ts";
import { cdkJson, everySetting, withoutBundles } from "../harness/synthesise.ts";

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
};

/** A command in a home of its own, with Node.js first on its path, as npm puts it. */
const run = (command: string, args: string[], environment: Record<string, string> = {}) =>
  spawnSync(command, args, {
    cwd: projectRoot,
    encoding: "utf8",
    env: {
      PATH: `${join(projectRoot, "node_modules/.bin")}:${process.env.PATH}`,
      HOME: folder(),
      AWS_EC2_METADATA_DISABLED: "true",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment,
    },
  });

test("cdk synth needs no credentials and has nothing to warn of", () => {
  const assembly = folder();

  const { status, stderr } = run("cdk", ["synth", "--quiet", "--output", assembly, "--context", "stage=dev"]);

  expect(status).toBe(0);
  expect(readdirSync(assembly)).toContain("EmailApi-dev.template.json");
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("Bundling asset "));
  expect(lines).toEqual([]);
});

test("Everything that a setting adds passes CloudFormation's own rules", () => {
  const assembly = folder();
  const context = { ...cdkJson.context, ...withoutBundles, ...everySetting };

  const { status, stderr } = run("node", ["infra/app.ts"], {
    CDK_OUTDIR: assembly,
    CDK_DEFAULT_REGION: "eu-west-1",
    CDK_CONTEXT_JSON: JSON.stringify(context),
  });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(readdirSync(assembly)).toContain("EmailApi-dev.template.json");
});

test("A setting that can't be used ends the command with the one line that says why", () => {
  const context = JSON.stringify({ stage: "Prod" });

  const { status, stderr } = run("node", ["infra/app.ts"], { CDK_CONTEXT_JSON: context });

  expect(status).toBe(1);
  expect(stderr).toBe(
    "stage must be up to 30 lower-case letters, digits and hyphens, starting with a letter, not Prod\n",
  );
});

test("What belongs to another region than the stack's is refused before anything is deployed", () => {
  const context = JSON.stringify({ alarmTopic: "arn:aws:sns:eu-west-1:123456789012:on-call" });

  const { status, stderr } = run("node", ["infra/app.ts"], {
    CDK_CONTEXT_JSON: context,
    CDK_DEFAULT_REGION: "us-east-1",
  });

  expect(status).toBe(1);
  expect(stderr).toBe("alarmTopic is in eu-west-1, but the stack is deployed to us-east-1\n");
});
