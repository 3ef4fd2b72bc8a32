/** Reads the commands of infra/README.md, and of the runbook. */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Template } from "./adaptations.ts";

const read = (file: string) => readFileSync(new URL(`../../infra/${file}`, import.meta.url), "utf8");
const readme = read("README.md");
const runbook = read("admin/README.md");

/** Ends at the next heading of the same level. */
export const section = (heading: string, text = readme): string => {
  const [, found] = text.split(`\n## ${heading}\n`);
  if (found === undefined) throw new Error(`There is no section "${heading}"`);
  return found.split("\n## ")[0] ?? "";
};

/** Returns the shell blocks of a section. */
export const blocksOf = (heading: string, text = readme): string[] =>
  [...section(heading, text).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

export const runbookBlocksOf = (heading: string): string[] => blocksOf(heading, runbook);

/** The types of resources that a text names. */
export const typesIn = (prose = ""): string[] => [...prose.matchAll(/`(AWS::\w+::\w+)`/g)].map(([, type = ""]) => type);

/** The types that README lists for a change of these settings. */
export const typesChangedBy = (settings: string[]): Set<string> => {
  const [, list = ""] = section("Settings").split("changes only these types of resources:\n\n");
  const items = list.split("\n\n")[0]?.split(/^- /m) ?? [];
  const named = items.filter((item) => settings.some((name) => item.split(":")[0]?.includes(`\`${name}\``)));
  return new Set(typesIn(named.join()));
};

/** The types of the resources in which two templates differ. */
export const changedTypes = (before: Template, after: Template): Set<string> => {
  const all = Object.entries({ ...before.Resources, ...after.Resources });
  const changed = all.filter(([id]) => !isDeepStrictEqual(before.Resources[id], after.Resources[id]));
  const types = new Set(changed.map(([, { Type }]) => Type));
  types.delete("AWS::CDK::Metadata"); // CDK's list of used constructs.
  return types;
};
