/** A deployment that leaves out a setting of the deployed stack. */
import { describe, expect, test } from "vitest";
import { checkRemovals } from "../../../infra/stack/removals.ts";
import { operations } from "../../../lib/http/operations.ts";
import { runApp } from "../../harness/cloudformation.ts";
import { everySetting, synthesise, templateWith, withoutBundles } from "../../harness/synthesise.ts";

const templateOf = (settings: Record<string, string>) => templateWith(settings).toJSON();

const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";
const own = templateOf({});
const restored = templateOf({ tableName: "restored" });
const intake = templateOf({ intake: "true" });
const domain = templateOf({ domain: "api.example.com", certificate });
const { Resources, ...others } = own;
const otherKeys = structuredClone(own);
otherKeys.Resources.TableCD117FA1.Properties.KeySchema[0].AttributeName = "id";

const cases: [what: string, deployed: object, next: object, part: string, keep: string][] = [
  ["the intake's bucket, queues and function", intake, own, "intake", "add --context intake=true"],
  ["the domain", domain, own, "domain", `add --context domain=api.example.com --context certificate=${certificate}`],
  [
    "the domain's name",
    domain,
    templateOf({ domain: "api.example.org", certificate }),
    "domain",
    `add --context domain=api.example.com --context certificate=${certificate}`,
  ],
  [
    "the topic of Amazon SES",
    templateOf({ ses: "receipts" }),
    intake,
    "ses",
    "add --context ses=… and --context sesReceived=… as before",
  ],
  ["the table for an existing one", own, restored, "table", "leave out tableName"],
  ["an existing table for a new one", restored, own, "table", "add --context tableName=restored"],
  [
    "an existing table for another",
    restored,
    templateOf({ tableName: "other" }),
    "table",
    "add --context tableName=restored",
  ],
  ["the keys of the table", own, otherKeys, "table", "leave out tableName"],
  [
    "a function",
    own,
    synthesise(withoutBundles, operations.slice(1)).template.toJSON(),
    "GetMessage",
    "deploy a commit that has it",
  ],
];

describe("A deployment that would remove or replace", () => {
  test.each(cases)("%s is rejected, and the error says how to keep it", (_, deployed, next, part, keep) => {
    expect(() => checkRemovals(deployed, next, [])).toThrow(
      expect.objectContaining({
        name: "UserError",
        message: expect.stringMatching(
          new RegExp(
            `^This deployment would remove or replace ${part} \\(.+\\)\\. To keep it, ${keep}\\. To let it go, add --context remove=${part}$`,
          ),
        ),
      }),
    );
  });

  test.each(cases)("%s goes on if remove names it, and only then", (_, deployed, next, part) => {
    expect(() => checkRemovals(deployed, next, ["other", part])).not.toThrow();
    expect(() => checkRemovals(deployed, next, ["other"])).toThrow();
  });
});

test("The error names everything that would be lost", () => {
  expect(() => checkRemovals(intake, own, [])).toThrow(
    / intake \(IntakeEmails\w+, IntakeDeadLetters\w+, IntakeEvents\w+, IntakeRecordEventsFunction\w+\)\. /,
  );
});

test("Several parts are several lines", () => {
  const { concurrency: _, ...settings } = everySetting;
  expect(() => checkRemovals(templateOf(settings), restored, [])).toThrow(
    / table \(.*\n.* domain \(.*\n.* intake \(.*\n.* ses \(/,
  );
});

test.each([
  ["a new stack", {}, intake],
  ["no change", intake, intake],
  ["an addition", own, templateOf({ intake: "true", domain: "api.example.com", certificate, keyRateLimit: "600" })],
  ["protected data", templateOf({ intake: "true", removeEverything: "true" }), intake],
  ["another function's code", { Resources: { ...Resources }, ...others }, templateOf({ concurrency: "50" })],
])("A deployment with %s goes on", (_, deployed, next) => {
  expect(() => checkRemovals(deployed, next, [])).not.toThrow();
});

test("The CDK app compares with the deployed stack, and ends with one line before anything changes", async () => {
  const state = { status: "CREATE_COMPLETE", template: intake };

  expect(await runApp(state)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^This deployment .* intake \(.*\n$/),
  });
  expect(await runApp(state, { remove: "intake" })).toMatchObject({ status: 0, stderr: "" });
});
