import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/harness/engine.ts",
    setupFiles: "test/harness/environment.ts",
    reporters: ["default", "./test/harness/slowest.ts"],
    sequence: { shuffle: true },
    maxWorkers: 4, // on two processors: many tests wait for retries and child processes
    testTimeout: 120_000, // a hang is found; a busy machine is no failure
    hookTimeout: 120_000,
  },
});
