/** `.ci/run`, with programs in place of npm and what it would install. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../infra/stack/bundling.ts";
import { run } from "../harness/process.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

test("The gate tests a clone of a checkout that belongs to another user, as in a container, from any folder", async () => {
  const programs = temporaryFolder();
  for (const name of ["npm", "chromium", "cmake", "curl", "python3"]) {
    writeFileSync(join(programs, name), `#!/bin/sh\n[ ${name} = npm ] && echo "$PWD npm $*"\nexit 0\n`);
    chmodSync(join(programs, name), 0o755);
  }

  const { status, stdout, stderr } = await run(`cd / && ${join(projectRoot, ".ci/run")}`, {
    variables: { PATH: `${programs}:${process.env.PATH}`, GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" },
  });

  expect(stderr).toBe("");
  expect(status).toBe(0);
  const [folder = ""] = stdout.split(" ");
  expect(folder).not.toBe(projectRoot.replace(/\/$/, ""));
  expect(stdout.replaceAll(folder, "clone").split("\n").slice(0, 2)).toEqual(["clone npm ci", "clone npm test"]);
});
