/** One embedded DynamoDB for the whole run; each test file has a table of its own in it. */
import type { TestProject } from "vitest/node";
import { startEngine } from "../../infra/local/engine.ts";

declare module "vitest" {
  export interface ProvidedContext {
    enginePort: number;
  }
}

export default async (project: TestProject) => {
  const engine = await startEngine(0);
  project.provide("enginePort", engine.port);
  return engine.stop;
};
