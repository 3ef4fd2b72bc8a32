/** How a function becomes the one file that Lambda loads: for the stack, and for whoever measures it. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

export const projectRoot = fileURLToPath(new URL("..", import.meta.url));

/** Lambda loads `index.mjs`, which requires the bundle. */
export const entryFile = "index.mjs";
export const bundleFile = "function.cjs";
export const bundleHandler = "index.handler";

const environment = "./infra/bundling/environment.ts";
const unused = "./infra/bundling/unused.ts";

/** Two fifths of what the functions import is of no use in Lambda. Other programs keep the originals. */
const replacements = {
  "@aws-sdk/credential-provider-node": environment,
  "@smithy/core/config": environment,
  "sdk-config": "@smithy/core/config", // the original, for its replacement
  "@aws-sdk/middleware-endpoint-discovery": unused,
  "@smithy/core/event-streams": unused,
};

/**
 * Writes `index.mjs`, and `function.cjs` with its source map, into a folder. `function.cjs` holds everything that the
 * function imports. It holds the AWS SDK too, because the runtime's copy is older and slower to load. The same sources give
 * the same bytes wherever they are built, so that a deployment without a change uploads nothing.
 *
 * CommonJS, because an ES module that imports `node:http` reads every export of it, and so loads undici and
 * web streams: a sixth of a cold start.
 *
 * @param file an operation's file, relative to the project: `functions/get-message.ts`
 */
export const bundle = (file: string, folder: string): void => {
  const { outputFiles } = buildSync({
    absWorkingDir: projectRoot,
    entryPoints: [file],
    outfile: bundleFile,
    write: false,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    // ES modules, where a package has them, can be shaken; Node's own order would prefer CommonJS.
    mainFields: ["module", "main"],
    alias: replacements,
    inject: ["./infra/bundling/globals.ts"],
    sourcemap: true,
    sourcesContent: false,
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents);
  copyFileSync(join(projectRoot, "infra/bundling", entryFile), join(folder, entryFile));
};
