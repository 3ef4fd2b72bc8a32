/**
 * The engine of the whole run, in which each test file has a table of its own: the one that
 * `AWS_ENDPOINT_URL_DYNAMODB` names, or an embedded one.
 */
import type { TestProject } from "vitest/node";
import { startEngine } from "../../infra/local/engine.ts";
import { localEnvironment } from "../../infra/local-environment.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The SDK's variables: where the engine is, and how to call it. */
    engine: Record<string, string>;
  }
}

/** Local engines take any credentials and region; where the shell names its own, those count. */
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
