import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Test files and the programs that they start share one cache of compiled code.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "email-api-compile-cache");

const engine = { globalSetup: ["test/harness/engine.ts"], setupFiles: ["test/harness/environment.ts"] };
const inOrder = { sequence: { shuffle: false } };
const endless = { testTimeout: 0, hookTimeout: 0 };

// By default, a test fails after two minutes. Only a test that hangs takes so long.
const project = (name: string, include: string, options: object = {}) => ({
  test: {
    name,
    include: [include],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    ...options,
  },
});

/** Each project is one npm script: `npm test` runs `api`, `npm run test:browser` runs `browser`. */
export default defineConfig({
  test: {
    sequence: { shuffle: { tests: true } },
    isolate: false,
    update: "none", // A missing recording fails. Without this, it would be written anew, and its test would pass.
    maxWorkers: 3, // Many tests wait for retries and child processes, but with four on two processors, all take longer.
    projects: [
      project("api", "test/{functions,lib,deployed,releases}/**/*.test.ts", engine),
      project("infra", "test/infra/**/*.test.ts", engine),
      project("simulation", "test/{limits,simulation,world}/*.test.ts", engine),
      project("browser", "test/**/*.browser.ts"),
      project("lambda", "test/{lambda,bench}/*.check.ts", {
        ...engine,
        ...inOrder,
        globalSetup: [...engine.globalSetup, "test/lambda/runtime-client.ts"],
      }),
      project("stack", "test/stack/*.e2e.ts", { ...inOrder, ...endless }),
      project("deployed", "test/deployed/*.check.ts", { ...inOrder, ...endless }),
      project("clients", "test/clients/*.e2e.ts", { ...engine, ...endless }),
      project("soak", "test/soak/*.soak.ts", { ...engine, ...endless }),
    ],
  },
});
