/** GitHub's workflows, as far as their text can be checked. They run only on GitHub. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("../../.github/workflows/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const all = readdirSync(folder).map(read).join("\n");

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
  const images = [...all.matchAll(/container: (.*)/g)].map(([, image]) => image);

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

test("A job that may assume the deploy role runs only the two install scripts that it needs", () => {
  const trusted = [...jobs.values()].filter((job) => job.includes("id-token: write"));

  expect(trusted).toHaveLength(2);
  for (const job of trusted) {
    expect(job).not.toMatch(/npm ci$/m);
    expect(job).toContain("npm ci --ignore-scripts");
    expect(job).toContain("npm rebuild node esbuild\n");
  }
});
