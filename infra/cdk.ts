/**
 * `npm run synth`, `diff` and `deploy` run the CDK command, and check its arguments first. If you forget the value of
 * `--context intake`, CDK only prints a warning and deploys the stack without the intake. CDK writes the stack's
 * outputs only if you name a file for them. The first deployment of a stack is followed by one that protects it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const args = process.argv.slice(2);
const settings = args.flatMap((arg, index) =>
  /^(--context|-c)$/.test(arg) ? (args[index + 1] ?? "") : (/^(?:--context=|-c)(.*)/.exec(arg)?.[1] ?? []),
);

const withoutValue = settings.filter((setting) => !/^[^=]+=./.test(setting));
for (const setting of withoutValue) {
  const [name = ""] = setting.split("=");
  console.error(`--context ${setting} has no value: write --context ${name || "NAME"}=VALUE`);
}
if (withoutValue.length > 0) process.exit(2);

const stage = settings.findLast((setting) => setting.startsWith("stage="))?.slice("stage=".length) ?? "prod";
const isDeployment = args[0] === "deploy";
const outputOption = args.findIndex((arg) => /^(--outputs-file|-O)/.test(arg));
const outputsFile =
  outputOption < 0
    ? `cdk.out/outputs.${stage}.json`
    : (/^(?:--outputs-file=|-O=?)(.+)/.exec(args[outputOption] ?? "")?.[1] ?? args[outputOption + 1] ?? "");
if (isDeployment && outputOption < 0) args.push("--outputs-file", outputsFile);

const cdk = (): number => {
  const program = createRequire(import.meta.url).resolve("aws-cdk/bin/cdk");
  return spawnSync(process.execPath, [program, ...args], { stdio: "inherit" }).status ?? 1;
};

/** CDK would protect a stack before CloudFormation creates it, and nobody could repeat a creation that fails. */
const isUnprotected = (): boolean =>
  Object.values<Record<string, string>>(JSON.parse(readFileSync(outputsFile, "utf8"))).some(
    (outputs) => outputs.IsUnprotected === "true",
  );

process.exitCode = cdk();
if (isDeployment && process.exitCode === 0 && existsSync(outputsFile) && isUnprotected()) {
  console.error("The stack exists now. A second deployment protects it and its data against deletion.");
  process.exitCode = cdk();
}
