/** The environment that Lambda gives to the functions, set before a test file loads them. */
import fc from "fast-check";
import { afterEach, inject, vi } from "vitest";
import "../../infra/local/lambda.ts";

Object.assign(process.env, inject("engine"), {
  TABLE_NAME: `test-${process.pid}-${performance.timeOrigin}`,
  POWERTOOLS_LOG_LEVEL: "SILENT",
  POWERTOOLS_METRICS_DISABLED: "true",
});

// Test files share a process, so each test undoes its changes.
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

// A property runs 30 cases on a developer's machine. PROPERTY_CASES asks for another number.
fc.configureGlobal({ numRuns: Number(process.env.PROPERTY_CASES ?? 30) });
