/** The commands in infra/README.md and in the workflows, if they need no AWS account. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readSettings } from "../../infra/stack/settings.ts";
import { admin, adminJson } from "../harness/admin.ts";
import { templateWith } from "../harness/synthesise.ts";
import type { Template } from "../stack/adaptations.ts";
import { changedTypes, typesChangedBy } from "../stack/readme.ts";

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const readme = read("infra/README.md");
const workflow = read(".github/workflows/deploy.yml");

/** Returns the lines of the shell blocks. A line that ends with a backslash continues on the next line. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = ""]) => block.replaceAll("\\\n", " ").split("\n"));

test("package.json has every npm script that README and the workflows name", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const named = [...`${readme}${workflow}`.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name);

  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
});

test("Every setting in a command of README and the workflows is valid", () => {
  const given = [...commandsIn(readme), ...workflow.split("\n")]
    .map((line) => [...line.matchAll(/--context (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
    .filter((settings) => settings.length > 0);

  const stages = given.map((settings) => readSettings(Object.fromEntries(settings)).stage);

  expect(stages).toEqual(expect.arrayContaining(["dev", "prod"]));
});

test.each([
  [{ logRetentionDays: "7" }],
  [{ alarmTopic: "arn:aws:sns:eu-west-1:123456789012:on-call" }],
  [{ rateLimit: "50" }],
  [{ burstLimit: "50" }],
  [{ keyRateLimit: "600" }],
  [{ domain: "api.example.com", certificate: "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d" }],
  [{ concurrency: "50" }],
  [{ eventConcurrency: "50" }],
  [{ kmsKey: "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab" }],
  [{ tracing: "true" }],
  [{ gatewayLogRole: "false" }],
  [{ replicaRegions: "us-west-2" }],
  [{ deadLetterMinutes: "1" }],
  [{ ses: "receipts,marketing" }],
  [{ sesReceived: "inbound:example.com" }],
])("A deployment with %j changes the types of resources that README lists, and no others", (setting) => {
  const base = { intake: "true", ses: "receipts" };
  const template = (settings: Record<string, string>) => templateWith(settings).toJSON() as Template;

  const changed = changedTypes(template(base), template({ ...base, ...setting }));

  expect(changed).toEqual(typesChangedBy(Object.keys(setting)));
});

test("The commands after the first deployment create an API key and a message", async () => {
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
