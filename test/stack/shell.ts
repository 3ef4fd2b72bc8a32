/** An operator's shell: one command's variables and functions are there in the next one. */
import { spawn } from "node:child_process";
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { projectRoot } from "../../infra/stack/bundling.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** A folder like the project's, but with a `cdk.out` of its own: yours may have the outputs of a real stack. */
const projectFolder = (): string => {
  const folder = temporaryFolder();
  for (const name of readdirSync(projectRoot)) {
    if (name !== "cdk.out") symlinkSync(join(projectRoot, name), join(folder, name));
  }
  return folder;
};

/** Returns a function that runs a command and returns its output, or throws with it. */
export const openShell = (variables: Record<string, string>) => {
  const folder = projectFolder();
  const home = temporaryFolder();
  const state = join(home, "state.sh");
  const { NODE_COMPILE_CACHE } = process.env;
  const PATH = `${join(projectRoot, "node_modules/.bin")}:${variables.PATH ?? process.env.PATH}`;
  const env = { HOME: home, NODE_COMPILE_CACHE, ...variables, PATH };

  return async (command: string): Promise<string> => {
    const script = `[ -e ${state} ] && . ${state} 2>/dev/null\nset -eo pipefail\n${command}\n{ declare -p; declare -f; } > ${state}`;
    const child = spawn("bash", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const status = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if ((await status) !== 0) throw new Error(`The command failed:\n${command}\n${stdout}\n${stderr}`);
    return stdout;
  };
};
