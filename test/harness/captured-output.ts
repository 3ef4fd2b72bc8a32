/** What the functions write for CloudWatch, which a test run does without otherwise: log lines, and metrics as EMF. */
import { vi } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: a line of a log is JSON of any shape
type Line = any;

export type CapturedOutput = {
  text: () => string;
  lines: () => Line[];
  /** Forgets what has been written so far. */
  clear: () => void;
  restore: () => void;
};

/** Captures everything that is written, until it is told to restore. */
export const captureOutput = (): CapturedOutput => {
  vi.stubEnv("POWERTOOLS_LOG_LEVEL", "INFO");
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", "EmailApi/test");
  vi.stubEnv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand");
  let output = "";
  const capture = (chunk: string | Uint8Array) => {
    output += chunk;
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(capture);
  vi.spyOn(process.stderr, "write").mockImplementation(capture);
  return {
    text: () => output,
    lines: () => output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])),
    clear: () => {
      output = "";
    },
    restore: () => {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    },
  };
};
