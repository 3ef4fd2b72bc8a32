/** The options of `npm run test:deployed`, and the service that they select. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { localEnvironment } from "../../infra/cli/local-environment.ts";
import { UserError } from "../../infra/cli/user-error.ts";
import type { Outputs } from "./service.ts";

/** What vitest hands to its workers. */
export type ProvidedTarget = { url: string; tableName: string; outputs?: Outputs };

declare module "vitest" {
  export interface ProvidedContext {
    target: ProvidedTarget;
  }
}

const outputsFile = (stage: string) => `cdk.out/outputs.${stage}.json`;

export const usage = `npm run test:deployed -- [options]

Checks a running service against its contract. The checks create an account with keys, messages of up to 40 MiB,
members and events. At the end, they delete everything that they created. They find the stack
in ${outputsFile("STAGE")}, which "npm run deploy -- --context stage=STAGE" writes.

  --stage STAGE    the stage of the stack (default: dev)
  --url URL        the base URL of another service. Requires --table
  --table NAME     the table of that service
  --local          the service that "npm start" runs on this machine
  --skip TEXT      skips the checks with this text in their names. May be repeated
  --json FILE      writes the results to a file, too

Quota: the checks send 50 requests at the same time. The quota "Concurrent executions" of Lambda must be at least 60.
A new account can have a quota of 10. Then Lambda throttles requests, and the checks with parallel requests can fail.
The checks retry a 429 or a 5xx three times.

Permissions: reading, writing and describing the table, iam:SimulatePrincipalPolicy, logs:FilterLogEvents and
cloudwatch:GetMetricStatistics. A stack with intake also requires s3:PutObject, s3:DeleteObject, sqs:SendMessage,
sqs:ReceiveMessage, sqs:DeleteMessage and sqs:GetQueueAttributes. Deploy such a stack with "--context
deadLetterMinutes=1". Otherwise, the check of dead letters is skipped, because it would take an hour.`;

const options = {
  stage: { type: "string", default: "dev" },
  url: { type: "string" },
  table: { type: "string" },
  local: { type: "boolean", default: false },
  skip: { type: "string", multiple: true },
  json: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/** @throws UserError if the command line has an option that we don't know */
export const readOptions = () => {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UserError(`${(error as Error).message}\n\n${usage}`, 2);
  }
};

const readOutputs = (stage: string): Record<string, Outputs> => {
  try {
    return JSON.parse(readFileSync(outputsFile(stage), "utf8"));
  } catch {
    throw new UserError(
      `${outputsFile(stage)} can't be read: deploy the stage first, or pass another --stage, --url and --table, or --local`,
      2,
    );
  }
};

const findStage = (stage: string): ProvidedTarget => {
  const [outputs] = Object.values(readOutputs(stage));
  if (!outputs) throw new UserError(`${outputsFile(stage)} names no stack: deploy the stage again`, 2);
  const { ApiUrl: url = "", TableName: tableName = "" } = outputs;
  return { url, tableName, outputs };
};

/** @throws UserError if the options select no service */
export const findTarget = ({ stage, url, table, local }: ReturnType<typeof readOptions>): ProvidedTarget => {
  if (local) {
    const environment = localEnvironment(Number(process.env.DYNAMODB_PORT ?? 8000));
    Object.assign(process.env, { ...environment, ...process.env });
    const tableName = table ?? environment.TABLE_NAME;
    return { url: url ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`, tableName };
  }
  if (!url && !table) return findStage(stage);
  if (url && table) return { url: url.replace(/\/$/, ""), tableName: table };
  throw new UserError("--url and --table require each other", 2);
};
