/** Bundles the functions as the stack does, and their floors and peers as CDK's `NodejsFunction` does. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { bundle, bundleFile, entryFile, projectRoot } from "../../infra/stack/bundling.ts";

/** Writes a source's bundle into a folder. Returns the file that Lambda loads. */
type Bundler = (source: string, folder: string) => string | Promise<string>;

const ours = (source: string, folder: string): string => {
  bundle(source, folder);
  return join(folder, entryFile);
};

/** Ours, without the line of `index.mjs` that begins with `line`. */
const oursWithout =
  (line: string): Bundler =>
  async (source, folder) => {
    const file = ours(source, folder);
    const lines = (await readFile(file, "utf8")).split("\n");
    if (!lines.some((text) => text.startsWith(line))) throw new Error(`${entryFile} has no line ${line}`);
    await writeFile(file, lines.filter((text) => !text.startsWith(line)).join("\n"));
    return file;
  };

/**
 * The defaults of `NodejsFunction` (aws-cdk-lib 2.276), with `bundleAwsSDK`: CommonJS, each package by its `main`,
 * not minified. Without `bundleAwsSDK`, the runtime's own copy of the SDK has the same files, and is as slow.
 */
const asCdkDoes = (source: string, folder: string): string => {
  const outfile = join(folder, "index.js");
  buildSync({
    absWorkingDir: projectRoot,
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    logLevel: "warning",
  });
  return outfile;
};

const withoutWarmUp = oursWithout("await warmUp");

const variants = {
  getMessage: [ours, "functions/get-message.ts"],
  getMessageWithoutWarmUp: [withoutWarmUp, "functions/get-message.ts"],
  getMessageMarking: [oursWithout('setFlagsFromString("--no-incremental'), "functions/get-message.ts"],
  getMessageSdkBase64: [ours, "test/bench/variant/sdk-base64.ts"],
  getMessageFloor: [asCdkDoes, "test/bench/floor/get-message.ts"],
  getMessageFloorSameClient: [asCdkDoes, "test/bench/floor/get-message-same-client.ts"],
  getMessagePeer: [asCdkDoes, "test/bench/peer/get-message.ts"],
  getStatusFloor: [asCdkDoes, "test/bench/floor/get-status.ts"],
  addMember: [ours, "functions/add-account-member.ts"],
  addMemberWithoutWarmUp: [withoutWarmUp, "functions/add-account-member.ts"],
  addMemberFloor: [asCdkDoes, "test/bench/floor/add-account-member.ts"],
  addMemberPeer: [asCdkDoes, "test/bench/peer/add-account-member.ts"],
  recordEvents: [ours, "functions/record-events.ts"],
  recordEventsFloor: [asCdkDoes, "test/bench/floor/record-events.ts"],
  store: [ours, "test/bench/variant/store-message.ts"],
  storePeer: [asCdkDoes, "test/bench/peer/store-message.ts"],
} as const satisfies Record<string, [Bundler, source: string]>;

/** By variant, the file that a process loads. */
export type Bundles = Record<keyof typeof variants, string>;

export const bundleAll = async (): Promise<{ bundles: Bundles; remove: () => Promise<void> }> => {
  const root = await mkdtemp(join(tmpdir(), "email-api-bench-"));
  const bundles: Partial<Bundles> = {};
  for (const [name, [make, source]] of Object.entries(variants)) {
    bundles[name as keyof Bundles] = await make(source, join(root, name));
  }
  return { bundles: bundles as Bundles, remove: () => rm(root, { recursive: true, force: true }) };
};

/** Returns the size of a function's code. */
export const kibibytes = async (file: string): Promise<number> => {
  const code = file.endsWith(entryFile) ? join(dirname(file), bundleFile) : file;
  return (await stat(code)).size / 1024;
};
