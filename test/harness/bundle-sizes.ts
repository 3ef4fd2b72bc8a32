/**
 * What the bundles consist of, beside the recorded list in bundle-sizes.json: KB by npm package or folder of the project.
 * `node test/harness/bundle-sizes.ts` records it again, for the diff of an upgrade.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, projectRoot } from "../../infra/stack/bundling.ts";
import { operations } from "../../lib/http/operations.ts";

const file = new URL("bundle-sizes.json", import.meta.url);

type Sizes = Record<string, number>;

/** Adds up the bytes of each package, largest first. */
const sizesOf = (bytes: Sizes): Sizes => {
  const sizes: Sizes = {};
  for (const [source, size] of Object.entries(bytes)) {
    const [, name = ""] = /^(?:.*node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
    sizes[name] = (sizes[name] ?? 0) + size / 1000;
  }
  const rounded = Object.entries(sizes).map(([name, size]): [string, number] => [name, Math.round(size)]);
  return Object.fromEntries(rounded.filter(([, size]) => size > 0).sort(([, a], [, b]) => b - a));
};

const signed = (change: number): string => `${change < 0 ? "" : "+"}${change}`;

/** Names the five largest packages, and every package whose size has changed, in KB. */
export const describeSizes = (operation: string, bytes: Sizes): string => {
  const recorded: Sizes = JSON.parse(readFileSync(file, "utf8"))[operation] ?? {};
  const sizes = sizesOf(bytes);
  const change = (name: string): number => (sizes[name] ?? 0) - (recorded[name] ?? 0);
  const largest = Object.entries(sizes).slice(0, 5);
  const changed = Object.keys({ ...recorded, ...sizes }).filter(change);
  return (
    `largest: ${largest.map(([name, size]) => `${name} ${size} KB (${signed(change(name))})`).join(", ")}\n` +
    `changed: ${changed.map((name) => `${name} ${signed(change(name))}`).join(", ")}`
  );
};

if (import.meta.main) {
  const folder = join(projectRoot, "node_modules/.cache/bundle-sizes");
  const all = operations.map(({ id, file }) => [id, sizesOf(bundle(file, folder))]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}
