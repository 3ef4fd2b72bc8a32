import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/engine.ts",
    setupFiles: "test/environment.ts",
    sequence: { shuffle: true },
  },
});
