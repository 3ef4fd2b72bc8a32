/** Bundles a function's source into the files that Lambda loads. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

/** Lambda loads `index.mjs`, which loads the bundle `function.cjs`. */
export const entryFile = "index.mjs";
export const bundleFile = "function.cjs";
export const bundleHandler = "index.handler";

const environment = "./infra/stack/bundling/environment.ts";
const unused = "./infra/stack/bundling/unused.ts";

/** Parts of the AWS SDK that no function needs, but that would slow down every cold start. */
const replacements = {
  "@aws-sdk/credential-provider-node": environment,
  "@smithy/core/config": environment,
  "sdk-config": "@smithy/core/config", // so that environment.ts can still import the original
  "@aws-sdk/middleware-endpoint-discovery": unused,
  "@smithy/core/event-streams": unused,
};

/**
 * Bundles a Lambda function into a folder, together with its source map. We bundle our own AWS SDK, because the one in
 * Lambda's runtime is older and slower to load. The same sources make the same bytes on every machine, so a deployment
 * without changes uploads nothing.
 *
 * The bundle is CommonJS: in an ES module, `import "node:http"` would load undici and web streams in every cold start.
 *
 * @param file a file of functions/, relative to the project: `functions/get-message.ts`
 * @returns how many bytes of the bundle come from each source
 */
export const bundle = (file: string, folder: string): Record<string, number> => {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: projectRoot,
    entryPoints: [file],
    outfile: bundleFile,
    write: false,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    // esbuild drops unused exports only from ES modules.
    mainFields: ["module", "main"],
    alias: replacements,
    inject: ["./infra/stack/bundling/globals.ts"],
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "warning",
  });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents);
  copyFileSync(join(projectRoot, "infra/stack/bundling", entryFile), join(folder, entryFile));
  const sources = Object.entries(metafile.outputs[bundleFile]?.inputs ?? {});
  return Object.fromEntries(sources.map(([source, { bytesInOutput }]) => [source, bytesInOutput]));
};
