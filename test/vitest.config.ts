import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/harness/engine.ts",
    setupFiles: "test/harness/environment.ts",
    sequence: { shuffle: true },
    maxWorkers: 3, // on two processors: many tests wait for retries and child processes
    testTimeout: 20_000, // a shared machine may be slow; no test asserts a time
  },
});
