/** How a function becomes the one file that Lambda loads: for the stack, and for whoever measures it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

export const projectRoot = fileURLToPath(new URL("..", import.meta.url));

/** Lambda takes a file named `.mjs` for an ES module; the handler's name is `index.handler`. */
const bundleFile = "index.mjs";
export const bundleHandler = "index.handler";

/**
 * Writes `index.mjs` and its source map into a folder: everything that the function imports, the AWS SDK
 * too, because the runtime's own copy is as old as the runtime and slower to load. The same sources give
 * the same bytes wherever they are built, so that a deployment without a change uploads nothing.
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
    format: "esm",
    // ES modules, where a package has them, can be shaken; Node's own order would prefer CommonJS.
    mainFields: ["module", "main"],
    sourcemap: true,
    sourcesContent: false,
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents);
};
