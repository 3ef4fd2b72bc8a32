/** README's TypeScript program, as a reader pastes it into an empty folder. The gate runs this file, too. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, startLocal } from "../harness/process.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

test("The program compiles in strict mode, and prints the bounce's 64-bit number to its last digit", async () => {
  const { output, url } = await startLocal();
  const [, key = ""] = /Bearer (emk_[\w-]+)/.exec(output) ?? [];
  const pasted = read("README.md").replaceAll("http://127.0.0.1:3000", url).replaceAll("emk_…", key);
  const [, commands = "", program = ""] = /```sh\n([^`]*npm init[^`]*)```\n+```ts\n(.*?)```/s.exec(pasted) ?? [];
  const folder = temporaryFolder();
  writeFileSync(join(folder, "message.mts"), program);
  const tsc = join(process.cwd(), "node_modules/.bin/tsc");
  const strict = "--strict --noEmit --module nodenext --allowImportingTsExtensions --types node";

  // npm may need the proxy and the certificates that the machine's own environment names.
  const ran = await run(`set -e; cd ${folder}\n${commands}`, { variables: process.env });
  const compiled = await run(`cd ${folder} && ${tsc} ${strict} message.mts`);

  expect(compiled).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(ran.status, ran.stderr).toBe(0);
  expect(ran.stdout).toMatch(/^Undelivered Mail Returned to Sender 9007199254740993n\n$/m);
});
