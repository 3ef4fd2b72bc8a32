import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Test files and the programs that they start share one cache of compiled code.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "email-api-compile-cache");

const engine = { globalSetup: "test/harness/engine.ts", setupFiles: "test/harness/environment.ts" };

// The timeout ends a test that hangs. Slow machines stay far below it.
const patient = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

/** Each project is one npm script: `npm test` runs `unit`, `npm run test:browser` runs `browser`. */
export default defineConfig({
  test: {
    reporters: ["default", "./test/harness/slowest.ts"],
    sequence: { shuffle: true },
    maxWorkers: 4, // More than the two processors, because many tests wait for retries and child processes.
    projects: [
      { test: { name: "unit", include: ["test/**/*.test.ts"], ...engine, ...patient } },
      { test: { name: "browser", include: ["test/**/*.browser.ts"], testTimeout: 180_000 } },
      {
        test: {
          name: "intake",
          include: ["test/intake/**/*.e2e.ts"],
          globalSetup: ["test/harness/engine.ts", "test/intake/moto.ts"],
          setupFiles: "test/harness/environment.ts",
          ...patient,
        },
      },
      {
        test: {
          name: "deployed",
          include: ["test/deployed/*.check.ts"],
          sequence: { shuffle: false },
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "stack",
          include: ["test/stack/*.e2e.ts"],
          sequence: { shuffle: false },
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: "clients",
          include: ["test/clients/*.e2e.ts"],
          ...engine,
          testTimeout: 0,
          hookTimeout: 0,
        },
      },
      {
        test: {
          name: "lambda",
          include: ["test/lambda/*.check.ts"],
          globalSetup: ["test/harness/engine.ts", "test/lambda/runtime-client.ts"],
          setupFiles: "test/harness/environment.ts",
          sequence: { shuffle: false },
          ...patient,
        },
      },
      { test: { name: "soak", include: ["test/soak/*.soak.ts"], ...engine, testTimeout: 0 } },
    ],
  },
});
