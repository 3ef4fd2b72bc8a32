/** Captures log lines and EMF metrics of the functions. Other tests run without logs. */
import { vi } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: a line of a log is JSON of any shape
type Line = any;

export type CapturedOutput = {
  text: () => string;
  lines: () => Line[];
  /** Waits for the log lines of `count` requests. A line is written after the response. */
  requests: (count?: number) => Promise<Line[]>;
  /** Discards the output so far. */
  clear: () => void;
};

/** Captures stdout and stderr until the test ends. */
export const captureOutput = (): CapturedOutput => {
  vi.stubEnv("POWERTOOLS_LOG_LEVEL", "INFO");
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", "EmailApi/test");
  vi.stubEnv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand");
  let output = "";
  const capture = (chunk: string | Uint8Array) => {
    const isWarningOfNode = /^\((?:node:\d+\)|Use `node )/.test(String(chunk));
    if (!isWarningOfNode) output += chunk;
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(capture);
  vi.spyOn(process.stderr, "write").mockImplementation(capture);
  const lines = () => output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const requests = () => lines().filter(({ message }) => message === "request");
  return {
    text: () => output,
    lines,
    requests: async (count = 1) => {
      await vi.waitUntil(() => requests().length >= count, { timeout: 60_000 });
      return requests();
    },
    clear: () => {
      output = "";
    },
  };
};
