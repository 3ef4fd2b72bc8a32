import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** A hundred workers, and the processes that tests start, load the same packages: they are compiled once. */
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "email-api-compile-cache");

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
    expect: { poll: { timeout: 60_000 } },
  },
});
