/** Which service is checked: from the command's options, or from what `npm run deploy` has written. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { localEnvironment } from "../../infra/local-environment.ts";
import { UserError } from "../../infra/user-error.ts";
import { openTable } from "../../lib/table/table.ts";
import type { Outputs, Target } from "./service.ts";

export const usage = `npm run test:deployed -- [options]

Checks a service against its contract: makes an account, keys, messages and members of its own in its table, calls
it, and removes them. Without options it takes the stack that cdk.out/outputs.json names, which
"npm run deploy -- --outputs-file cdk.out/outputs.json" has written. Of such a stack it also asks AWS what the
roles may do, what is in the logs and what was counted: with iam:SimulatePrincipalPolicy, logs:FilterLogEvents and
cloudwatch:GetMetricStatistics, beside what it takes to read and write the table.

  --stack NAME     the stack, where the file names several
  --url URL        another address; --table NAME is its table, where the AWS SDK's variables point
  --local          what "npm start" serves on this machine
  --json           a line of JSON for each check`;

const outputsFile = "cdk.out/outputs.json";

const options = {
  stack: { type: "string" },
  url: { type: "string" },
  table: { type: "string" },
  local: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** @throws UserError for options that there are not */
export const readOptions = () => {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UserError(`${(error as Error).message}\n\n${usage}`);
  }
};

type Stacks = Record<string, Outputs & { ApiUrl: string; TableName: string }>;

const readStacks = (): Stacks => {
  try {
    return JSON.parse(readFileSync(outputsFile, "utf8"));
  } catch {
    throw new UserError(`There is no ${outputsFile}: deploy first, or say --url and --table, or --local`);
  }
};

const open = (url: string, TABLE_NAME: string, outputs?: Outputs): Target => ({
  url: url.replace(/\/$/, ""),
  table: openTable({ name: TABLE_NAME }),
  outputs,
});

/** @throws UserError that says what is missing */
export const findTarget = ({ stack, url, table, local }: ReturnType<typeof readOptions>): Target => {
  if (local) {
    const environment = localEnvironment(Number(process.env.DYNAMODB_PORT ?? 8000));
    Object.assign(process.env, { ...environment, ...process.env });
    return open(url ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`, table ?? environment.TABLE_NAME);
  }
  if (url || table) {
    if (url && table) return open(url, table);
    throw new UserError("--url and --table belong together");
  }
  const stacks = readStacks();
  const names = Object.keys(stacks);
  const name = stack ?? (names.length === 1 ? names[0] : undefined);
  const found = name === undefined ? undefined : stacks[name];
  if (!found) throw new UserError(`--stack must name one of ${names.join(", ")}`);
  return open(found.ApiUrl, found.TableName, found);
};
