/** `npm run test:browser`: apart from `npm test`, because it needs a browser. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/**/*.browser.ts"], testTimeout: 180_000 },
});
