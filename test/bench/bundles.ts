/** Bundles the functions, their floors and their peers alike, the way the stack bundles the functions. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../infra/bundling.ts";

const sources = {
  getMessage: {
    ours: "functions/get-message.ts",
    floor: "test/bench/floor/get-message.ts",
    mailsplit: "test/bench/peer/get-message-mailsplit.ts",
    "postal-mime": "test/bench/peer/get-message-postal-mime.ts",
  },
  addAccountMember: {
    ours: "functions/add-account-member.ts",
    floor: "test/bench/floor/add-account-member.ts",
    powertools: "test/bench/peer/add-account-member.ts",
  },
} as const;

type Sources = typeof sources;
/** By operation and by variant, the file of the bundle. */
export type Bundles = { [O in keyof Sources]: Record<keyof Sources[O], string> };

export const bundleAll = async (): Promise<{ bundles: Bundles; remove: () => Promise<void> }> => {
  const root = await mkdtemp(join(tmpdir(), "email-api-bench-"));
  const bundleOne = (operation: string, variant: string, source: string): string => {
    const folder = join(root, operation, variant);
    bundle(source, folder);
    return join(folder, "index.mjs");
  };
  const bundles = Object.entries(sources).map(([operation, variants]) => {
    const files = Object.entries(variants).map(([variant, source]) => [
      variant,
      bundleOne(operation, variant, source),
    ]);
    return [operation, Object.fromEntries(files)];
  });
  return {
    bundles: Object.fromEntries(bundles) as Bundles,
    remove: () => rm(root, { recursive: true, force: true }),
  };
};

export const kibibytes = async (file: string): Promise<number> => (await stat(file)).size / 1024;
