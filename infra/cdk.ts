/**
 * `npm run synth`, `diff` and `deploy` run the CDK command, and check its arguments first. If you forget the value of
 * `--context intake`, CDK only prints a warning and deploys the stack without the intake. CDK writes the stack's
 * outputs only if you name a file for them.
 */
import { spawnSync } from "node:child_process";
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
const hasOutputs = args.some((arg) => /^(--outputs-file|-O)/.test(arg));
const outputs = args[0] === "deploy" && !hasOutputs ? ["--outputs-file", `cdk.out/outputs.${stage}.json`] : [];

const cdk = createRequire(import.meta.url).resolve("aws-cdk/bin/cdk");
const { status } = spawnSync(process.execPath, [cdk, ...args, ...outputs], { stdio: "inherit" });
process.exitCode = status ?? 1;
