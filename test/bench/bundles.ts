/** Bundles the functions as the stack does, and their floors and peers as CDK's `NodejsFunction` does. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { bundle, bundleFile, projectRoot } from "../../infra/bundling.ts";

const ours = (source: string, folder: string): string => {
  bundle(source, folder);
  return join(folder, bundleFile);
};

/**
 * The defaults of `NodejsFunction` (aws-cdk-lib 2.276), with `bundleAwsSDK`: CommonJS, each package by its `main`,
 * not minified. Without `bundleAwsSDK` the SDK is the runtime's own copy, whose files are the same and as slow.
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

type Make = (bundle: (source: string, folder: string) => string, source: string) => string;

const getMessage = (make: Make) => ({
  ours: make(ours, "functions/get-message.ts"),
  onePage: make(ours, "test/bench/one-page.ts"),
  floor: make(asCdkDoes, "test/bench/floor/get-message.ts"),
  mailsplit: make(asCdkDoes, "test/bench/peer/get-message-mailsplit.ts"),
  "postal-mime": make(asCdkDoes, "test/bench/peer/get-message-postal-mime.ts"),
});

const addAccountMember = (make: Make) => ({
  ours: make(ours, "functions/add-account-member.ts"),
  floor: make(asCdkDoes, "test/bench/floor/add-account-member.ts"),
  powertools: make(asCdkDoes, "test/bench/peer/add-account-member.ts"),
});

/** By operation and by variant, the file of the bundle. */
export type Bundles = {
  getMessage: ReturnType<typeof getMessage>;
  addAccountMember: ReturnType<typeof addAccountMember>;
};

export const bundleAll = async (): Promise<{ bundles: Bundles; remove: () => Promise<void> }> => {
  const root = await mkdtemp(join(tmpdir(), "email-api-bench-"));
  const make: Make = (bundle, source) => bundle(source, join(root, source.replaceAll("/", "-")));
  return {
    bundles: { getMessage: getMessage(make), addAccountMember: addAccountMember(make) },
    remove: () => rm(root, { recursive: true, force: true }),
  };
};

export const kibibytes = async (file: string): Promise<number> => (await stat(file)).size / 1024;
