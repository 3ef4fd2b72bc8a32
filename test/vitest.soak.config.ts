/** `npm run soak`: apart from `npm test`, because it takes ten minutes. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/soak/*.soak.ts"],
    globalSetup: "test/harness/engine.ts",
    setupFiles: "test/harness/environment.ts",
    testTimeout: 0,
  },
});
