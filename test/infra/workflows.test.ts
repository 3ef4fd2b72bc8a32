/** GitHub's workflows, as far as their text can be checked. They run only on GitHub. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../infra/stack/bundling.ts";

const folder = new URL("../../.github/workflows/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const all = [...readdirSync(folder), "../../.ci/Dockerfile"].map(read).join("\n");

/** The jobs of deploy.yml by name. */
const jobs = new Map(
  read("deploy.yml")
    .split(/^ {2}(?=\w+:$)/m)
    .slice(1)
    .map((job) => [job.slice(0, job.indexOf(":")), job]),
);
const concurrencyOf = (job: string) => /^ {4}concurrency: (\S+)$/m.exec(jobs.get(job) ?? "")?.[1];

test("Every action is a commit and every image a digest, with the version beside it", () => {
  const actions = [...all.matchAll(/uses: (?!\.)(.*)/g)].map(([, action]) => action);
  const images = [...all.matchAll(/(?:container|image): (.*)|^FROM (.*)/gm)].map(([, image, from]) => image ?? from);

  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
  expect(images.length).toBeGreaterThan(0);
  for (const image of images) expect(image).toMatch(/@sha256:[\da-f]{64}$/);
});

test("A prod that waits for its approval holds no deployment to dev back", () => {
  expect(read("deploy.yml")).not.toMatch(/^concurrency:/m);
  expect(concurrencyOf("dev")).toBe("deploy-dev");
  expect(concurrencyOf("prod")).toBe("deploy-prod");
});

test("A push reaches prod only if the environment has reviewers", () => {
  expect(jobs.get("prod")).toMatch(
    /^ {4}if: github.event_name == 'workflow_dispatch' \|\| vars.PROD_HAS_REVIEWERS == 'true'$/m,
  );
});

test("A push runs each check once: only to main for a deployment, and weekly.yml for a tag", () => {
  const pushes = readdirSync(folder).map((file) => [file, /^ {2}push:\n((?: {4}.*\n)*)/m.exec(read(file))?.[1]]);

  expect(pushes).toEqual([
    ["ci.yml", undefined],
    ["deploy.yml", "    branches: [main]\n"],
    ["weekly.yml", '    tags: ["v*"]\n'],
  ]);
});

test("A newer commit cancels the check of the one before it, and cancels no deployment", () => {
  for (const file of ["ci.yml", "weekly.yml"]) expect(read(file)).toMatch(/^ {2}cancel-in-progress: true$/m);
  expect(read("deploy.yml")).not.toContain("cancel-in-progress");
});

test("Dependabot reads each file that pins a version, and waits a week before it proposes one", () => {
  const dependabot = read("../dependabot.yml");
  const updates = dependabot.split(/^ {2}- /m).slice(1);
  const watched = updates.flatMap((update) => {
    const [, folders = ""] = /director(?:y|ies): \[?(.*?)\]?$/m.exec(update) ?? [];
    return folders.split(", ").map((each) => `${/ecosystem: (.*)/.exec(update)?.[1]} ${each}`);
  });
  const ecosystems: Record<string, string> = {
    "package.json": "npm",
    "requirements.txt": "pip",
    "go.mod": "gomod",
    "pom.xml": "maven",
    Dockerfile: "docker",
  };
  const files = execFileSync("git", ["ls-files"], { cwd: projectRoot, encoding: "utf8" }).trim().split("\n");
  const pinned = files.flatMap((file) => {
    const ecosystem = ecosystems[basename(file)];
    return ecosystem ? [`${ecosystem} /${dirname(file)}`.replace(/\/\.$/, "/")] : [];
  });

  expect(watched.toSorted()).toEqual([...pinned, "github-actions /"].toSorted());
  for (const update of updates) expect(update).toContain("cooldown:\n      default-days: 7\n");
});
