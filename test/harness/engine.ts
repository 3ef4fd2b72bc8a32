/**
 * Starts one embedded DynamoDB for the whole run, unless `AWS_ENDPOINT_URL_DYNAMODB` names another engine. Each test
 * file has its own table.
 */
import type { TestProject } from "vitest/node";
import { startEngine } from "../../infra/local/engine.ts";
import { localEnvironment } from "../../infra/local-environment.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The SDK's environment variables for the engine. */
    engine: Record<string, string>;
  }
}

/** Local engines accept any region and credentials. The shell's own values take precedence. */
const named = ({
  AWS_ENDPOINT_URL_DYNAMODB,
  AWS_REGION,
  AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY,
}: NodeJS.ProcessEnv) =>
  AWS_ENDPOINT_URL_DYNAMODB && {
    AWS_ENDPOINT_URL_DYNAMODB,
    AWS_REGION: AWS_REGION ?? "local",
    AWS_ACCESS_KEY_ID: AWS_ACCESS_KEY_ID ?? "local",
    AWS_SECRET_ACCESS_KEY: AWS_SECRET_ACCESS_KEY ?? "local",
  };

export default async (project: TestProject) => {
  const other = named(process.env);
  if (other) return project.provide("engine", other);
  const engine = await startEngine();
  project.provide("engine", localEnvironment(engine.port));
  return engine.stop;
};
