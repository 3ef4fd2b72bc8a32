/** What Lambda's environment gives the functions, before a test file loads them. */
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import "../../infra/local/lambda.ts";

Object.assign(process.env, inject("engine"), {
  TABLE_NAME: `test-${randomUUID()}`,
  POWERTOOLS_LOG_LEVEL: "SILENT",
  POWERTOOLS_METRICS_DISABLED: "true",
});
