/** `npx cdk synth` as a newcomer runs it: no account, no credentials, nothing set up. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../infra/bundling.ts";

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
      ...environment,
    },
  });

test("cdk synth needs no credentials and has nothing to warn of", { timeout: 60_000 }, () => {
  const assembly = folder();

  const { status, stderr } = run("cdk", ["synth", "--quiet", "--output", assembly, "--context", "stage=dev"]);

  expect(status).toBe(0);
  expect(readdirSync(assembly)).toContain("EmailApi-dev.template.json");
  const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("Bundling asset "));
  expect(lines).toEqual([]);
});

test("A setting that can't be used ends the command with the one line that says why", () => {
  const context = JSON.stringify({ stage: "Prod" });

  const { status, stderr } = run("node", ["infra/app.ts"], { CDK_CONTEXT_JSON: context });

  expect(status).toBe(1);
  expect(stderr).toBe(
    "stage takes up to 30 lower-case letters, digits and hyphens, the first a letter, not Prod\n",
  );
});
