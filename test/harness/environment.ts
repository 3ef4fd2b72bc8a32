/** The environment that Lambda gives to the functions, set before a test file loads them. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { inject } from "vitest";
import "../../infra/local/lambda.ts";

Object.assign(process.env, inject("engine"), {
  TABLE_NAME: process.env.TABLE_NAME ?? `test-${randomUUID()}`,
  POWERTOOLS_LOG_LEVEL: "SILENT",
  POWERTOOLS_METRICS_DISABLED: "true",
});

// A property runs 30 cases on a developer's machine. PROPERTY_CASES asks for another number.
fc.configureGlobal({ numRuns: Number(process.env.PROPERTY_CASES ?? 30) });
