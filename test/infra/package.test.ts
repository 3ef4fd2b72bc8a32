/** package.json and package-lock.json serve every platform, also those that our own registry and CI never see. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "../harness/process.ts";
import { folderOf } from "../harness/temporary-folder.ts";

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));

type Locked = {
  version: string;
  os?: string[];
  cpu?: string[];
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
};
const locked: Record<string, Locked> = read("package-lock.json").packages;

test("The lock file has the engine for macOS, Linux and Windows, and npm skips those of other platforms", () => {
  const { optionalDependencies } = read("package.json");

  const engines = Object.entries(locked).filter(([path]) => path.includes("/@dynoxide/"));

  expect(engines.map(([path]) => path.split("/").at(-1))).toEqual(
    expect.arrayContaining(["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"]),
  );
  for (const [path, { version, os, cpu, optional }] of engines) {
    const name = path.replace("node_modules/", "");
    expect({ name: `@dynoxide/${os}-${cpu}`, optional }).toEqual({ name, optional: true });
    expect(optionalDependencies).toHaveProperty([name], version);
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
    ".npmrc": readFileSync(new URL("../../.npmrc", import.meta.url), "utf8"),
  });

  const { status, stderr } = await run(`cd ${folder} && npm install --offline`);

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
