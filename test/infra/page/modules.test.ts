/** The page's modules are checked, and each in the environment where it runs. */
import { expect, test } from "vitest";
import { pageTemplate } from "../../../infra/page/bundle.ts";
import { projectRoot } from "../../../infra/stack/bundling.ts";
import { run } from "../../harness/process.ts";
import { folderOf } from "../../harness/temporary-folder.ts";

test("A call of a function that doesn't exist fails, and so does Node.js in a module of the page", async () => {
  const page = `${projectRoot}/infra/page/browser`;
  const folder = folderOf({
    "tsconfig.json": JSON.stringify({
      extends: `${page}/tsconfig.json`,
      compilerOptions: { incremental: false },
      include: ["module.ts"],
    }),
    "module.ts": `import { find } from "${page}/dom.ts";\nfind("main");\nfindd("main");\nprocess.exit();\n`,
  });

  const { stdout } = await run(`npx tsc -p ${folder}`);

  expect(stdout.match(/error TS\d+: Cannot find name '\w+'/g)?.map((line) => line.split("'")[1])).toEqual([
    "findd",
    "process",
  ]);
});

test("The page's characters beyond ASCII stay what they are", async () => {
  expect(await pageTemplate()).toContain(">← Back to the search<");
});
