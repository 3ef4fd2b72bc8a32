/**
 * Starts one embedded DynamoDB for the whole run, unless `AWS_ENDPOINT_URL_DYNAMODB` names another engine. Each test
 * file has its own table.
 */
import type { TestProject } from "vitest/node";
import { localEnvironment } from "../../infra/cli/local-environment.ts";
import { startEngine } from "../../infra/local/engine.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The SDK's environment variables for the engine. */
    engine: Record<string, string>;
  }
}

export default async (project: TestProject) => {
  if (process.env.AWS_ENDPOINT_URL_DYNAMODB) {
    const variables = Object.entries(localEnvironment(0));
    const named = variables.map(([name, value]) => [name, process.env[name] ?? value]);
    return project.provide("engine", Object.fromEntries(named));
  }
  const engine = await startEngine();
  project.provide("engine", localEnvironment(engine.port));
  return engine.stop;
};
