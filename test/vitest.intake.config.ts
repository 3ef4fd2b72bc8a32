/** `npm run test:intake`: the way in, against moto's server, which speaks S3's and SQS's protocols. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/intake/**/*.e2e.ts"],
    globalSetup: ["test/harness/engine.ts", "test/intake/moto.ts"],
    setupFiles: "test/harness/environment.ts",
    testTimeout: 120_000, // a shared machine may be slow; no test asserts a time
  },
});
