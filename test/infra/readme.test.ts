/** The commands in infra/README.md, as far as they need no AWS account. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readSettings } from "../../infra/settings.ts";
import { admin, adminJson } from "../harness/admin.ts";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const readme = read("infra/README.md");

/** The lines of its shell blocks; one that ends in a backslash goes on in the next. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = ""]) =>
    block.replaceAll("\\\n", " ").split("\n"),
  );

test("Every npm script that it names is there", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const named = [...readme.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name);

  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
});

test("Every setting that a command gives is one that is taken", () => {
  const given = commandsIn(readme)
    .map((line) => [...line.matchAll(/--context (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
    .filter((settings) => settings.length > 0);

  const stages = given.map((settings) => readSettings(Object.fromEntries(settings)).stage);

  expect(stages).toContain("dev");
});

test("The commands that follow the first deployment make a key, and a message to read with it", async () => {
  const account = randomUUID();
  const [, deployIt = ""] = readme.split(/^## /m);
  const asTyped = commandsIn(deployIt)
    .flatMap((line) => /^npm run -s admin -- (.*)/.exec(line)?.[1] ?? [])
    .map((line) => line.replace("$ACCOUNT", account).replace(/\$\([^)]*\(\)'\)/, randomUUID()))
    .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ""));
  const [createKey, importMessage] = asTyped;

  expect(asTyped).toHaveLength(2);
  expect(await admin(createKey ?? [])).toMatchObject({ status: 0, stderr: [] });
  expect(await admin(importMessage ?? [])).toMatchObject({ status: 0, stderr: [] });
  expect(await adminJson(`list-api-keys --account ${account}`)).toMatchObject([{ label: "first key" }]);
});
