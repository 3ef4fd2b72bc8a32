/** The command behind `npm run deploy`, with a program in the place of CDK, which would need an AWS account. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../harness/process.ts";
import { folderOf } from "../harness/temporary-folder.ts";

/** What one run of CDK does: it ends with this status, or by a signal, after it wrote these outputs to a file. */
type Planned = { status?: number; signal?: string; outputs?: object; file?: string };

const cdk = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");
appendFileSync("calls", JSON.stringify(process.argv.slice(2)) + "\\n");
const calls = readFileSync("calls", "utf8").split("\\n").length - 1;
const { status = 0, signal, outputs, file = "cdk.out/outputs.dev.json" } = JSON.parse(readFileSync("plan.json"))[calls - 1];
mkdirSync(dirname(file), { recursive: true });
if (outputs) writeFileSync(file, JSON.stringify({ "EmailApi-dev": outputs }));
if (signal) process.kill(process.pid, signal);
else process.exitCode = status;
`;

/** Runs the command with these arguments. Returns its status, its errors, and the arguments of each run of CDK. */
const runCdk = async (args: string, plan: Planned[] = [{}]) => {
  const folder = folderOf({
    "package.json": '{"type":"module"}',
    "plan.json": JSON.stringify(plan),
    "node_modules/aws-cdk/package.json": "{}",
    "node_modules/aws-cdk/bin/cdk.js": cdk,
  });
  mkdirSync(join(folder, "infra"));
  copyFileSync("infra/cdk.ts", join(folder, "infra/cdk.ts"));
  const { status, stderr } = await run(`cd ${folder} && node infra/cdk.ts ${args}`);
  const calls = join(folder, "calls");
  const lines = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
  return { status, stderr, calls: lines.map((line) => JSON.parse(line).join(" ")) };
};

const unprotected = { TableName: "x", IsUnprotected: "true" };
const protects = "The stack exists now. A second deployment protects it and its data against deletion.\n";
const dev = "deploy --context stage=dev";
const withOutputs = `${dev} --outputs-file cdk.out/outputs.dev.json`;

test("The first deployment of a stack is followed by one that protects it, and any other by none", async () => {
  const first = await runCdk(dev, [{ outputs: unprotected }, { outputs: { TableName: "x" } }]);
  const later = await runCdk(dev, [{ outputs: { TableName: "x" } }]);

  expect(first).toEqual({ status: 0, stderr: protects, calls: [withOutputs, withOutputs] });
  expect(later).toEqual({ status: 0, stderr: "", calls: [withOutputs] });
});

test.each<[string, number, number, Planned[]]>([
  ["the deployment", 3, 1, [{ status: 3, outputs: unprotected }]],
  ["the deployment before it has written outputs", 1, 1, [{ status: 1 }]],
  ["CDK by a signal", 1, 1, [{ signal: "SIGKILL" }]],
  ["the deployment that protects the stack", 3, 2, [{ outputs: unprotected }, { status: 3 }]],
])("If %s fails, so does the command: status %i after %i runs of CDK", async (_, status, runs, plan) => {
  const ended = await runCdk(dev, plan);

  expect(ended).toMatchObject({ status, calls: Array(runs).fill(withOutputs) });
});

test("A deployment that writes no outputs succeeds", async () => {
  expect(await runCdk(dev)).toEqual({ status: 0, stderr: "", calls: [withOutputs] });
});

test.each([
  ["deploy", "prod"],
  ["deploy -c stage=a -cstage=b", "b"],
  ["deploy --context=stage=b -c stage=a", "a"],
  ["deploy -c tags=stage=b", "prod"],
])("The outputs are written to a file with the stage in its name: %s", async (args, stage) => {
  const { calls } = await runCdk(args);

  expect(calls).toEqual([`${args} --outputs-file cdk.out/outputs.${stage}.json`]);
});

test.each(["--outputs-file my.json", "--outputs-file=my.json", "-O my.json", "-Omy.json", "-O=my.json"])(
  "A named file gets the outputs, and they decide whether the stack is protected: %s",
  async (option) => {
    const { calls } = await runCdk(`${dev} ${option}`, [{ outputs: unprotected, file: "my.json" }, {}]);

    expect(calls).toEqual([`${dev} ${option}`, `${dev} ${option}`]);
  },
);

test.each(["synth", "diff", "diff deploy"])("%s runs CDK once, without a file for outputs", async (args) => {
  const ended = await runCdk(`${args} -c stage=dev`, [{ outputs: unprotected }]);

  expect(ended).toEqual({ status: 0, stderr: "", calls: [`${args} -c stage=dev`] });
});
