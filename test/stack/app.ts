/** The CDK app of the test: runs the project's own app, then adapts its output to the emulator. */
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../infra/stack/bundling.ts";
import { adaptations, adaptTemplate, handlerFile } from "./adaptations.ts";

const { CDK_OUTDIR: output = "", AWS_ENDPOINT_URL: endpoint = "", CREATION_FAILS } = process.env;
/** Without an adaptation, CloudFormation fails when it has created most of the stack. */
const chosen = CREATION_FAILS ? adaptations.filter(({ gap }) => !gap.includes("metric math")) : adaptations;

execFileSync(process.execPath, [join(projectRoot, "infra/app.ts")], { stdio: "inherit" });

for (const name of readdirSync(output)) {
  const path = join(output, name);
  if (name.endsWith(".template.json")) {
    const template = adaptTemplate(JSON.parse(readFileSync(path, "utf8")), chosen, endpoint);
    writeFileSync(path, JSON.stringify(template));
  }
  if (name.startsWith("asset.") && readdirSync(path).includes("index.mjs")) {
    copyFileSync(join(import.meta.dirname, handlerFile), join(path, handlerFile));
  }
}
