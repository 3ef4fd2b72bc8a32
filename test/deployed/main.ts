/** `npm run test:deployed`: runs the project `deployed` of vitest against a running service. */
import { resolve } from "node:path";
import { createVitest } from "vitest/node";
import { UserError } from "../../infra/cli/user-error.ts";
import { projectRoot } from "../../infra/stack/bundling.ts";
import { findTarget, readOptions, usage } from "./target.ts";

/** A pattern that matches the names with none of the texts in them. */
const without = (texts: string[]): RegExp => {
  const escaped = texts.map((text) => text.replaceAll(/[^\w\s]/g, String.raw`\$&`));
  return new RegExp(`^(?!.*(?:${escaped.join("|")}))`);
};

const run = async (): Promise<void> => {
  const options = readOptions();
  if (options.help) {
    console.log(usage);
    return;
  }
  const target = findTarget(options);
  const vitest = await createVitest("test", {
    config: "test/vitest.config.ts",
    root: projectRoot,
    project: "deployed",
    watch: false,
    reporters: ["verbose", ...(options.json ? ["json"] : [])],
    ...(options.json && { outputFile: resolve(options.json) }),
    ...(options.skip && { testNamePattern: without(options.skip) }),
  });
  vitest.provide("target", target);
  await vitest.start();
  await vitest.close();
};

try {
  await run();
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exitCode = error instanceof UserError ? error.exitStatus : 2;
}
