/** Reads the commands of infra/README.md. */
import { readFileSync } from "node:fs";

const text = readFileSync(new URL("../../infra/README.md", import.meta.url), "utf8");

/** Returns the section under a heading, up to the next heading of the same level. */
export const section = (heading: string): string => {
  const [, found] = text.split(`\n## ${heading}\n`);
  if (found === undefined) throw new Error(`infra/README.md has no section "${heading}"`);
  return found.split("\n## ")[0] ?? "";
};

/** Returns the shell blocks of a section. */
export const blocksOf = (heading: string): string[] =>
  [...section(heading).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

/** Returns the types of resources that a text names. */
export const typesIn = (prose = ""): string[] =>
  [...prose.matchAll(/`(AWS::\w+::\w+)`/g)].map(([, type = ""]) => type);

/** Returns the types that README lists for a change of these settings. */
export const typesChangedBy = (settings: string[]): Set<string> => {
  const [, list = ""] = section("Settings").split("changes only these types of resources:\n\n");
  const items = list.split("\n\n")[0]?.split(/^- /m) ?? [];
  const named = items.filter((item) => settings.some((name) => item.split(":")[0]?.includes(`\`${name}\``)));
  return new Set(typesIn(named.join()));
};
