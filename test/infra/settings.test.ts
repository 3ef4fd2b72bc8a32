/** What an operator may set, and what is refused before anything is deployed. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../infra/settings.ts";

const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";
const alarmTopic = "arn:aws:sns:eu-west-1:123456789012:on-call";

const refusal = (message: unknown) => expect.objectContaining({ name: "UserError", message });

test("Without a setting the stage is prod, limits are moderate, and nothing is thrown away", () => {
  expect(readSettings({ "@aws-cdk/core:checkSecretUsage": true })).toEqual({
    stage: "prod",
    logRetentionDays: 30,
    rateLimit: 100,
    burstLimit: 200,
    replicaRegions: [],
    intake: false,
    deadLetterMinutes: 60,
    removeEverything: false,
  });
});

test("Settings come as text from the command line, and from cdk.json as a number or a boolean too", () => {
  const settings = {
    stage: "dev",
    domain: "api.example.com",
    certificate,
    alarmTopic,
    logRetentionDays: 7,
    rateLimit: 1000,
    burstLimit: 2000,
    keyRateLimit: 600,
    concurrency: 50,
    replicaRegions: ["us-west-2", "eu-central-1"],
    intake: true,
    deadLetterMinutes: 1,
    removeEverything: true,
  };
  const asText = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));

  expect(readSettings(asText)).toEqual(settings);
  expect(readSettings(settings)).toEqual(settings);
});

test("A replica region that is named twice holds one copy", () => {
  const { replicaRegions } = readSettings({ replicaRegions: "us-west-2,us-west-2" });

  expect(replicaRegions).toEqual(["us-west-2"]);
});

test("README has every setting in its table, and no other", () => {
  const readme = readFileSync(new URL("../../infra/README.md", import.meta.url), "utf8");
  const [, table = ""] = /^\| Setting \|.*\n.*\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const named = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/\w+/g) ?? []);

  expect(() => readSettings({ "no-setting": "" })).toThrow(
    `There is no setting named no-setting. The settings are ${named.join(", ")}`,
  );
});

describe("A setting that can't be used is refused in one line that says what it takes", () => {
  test.each([
    [
      { stage: "Prod" },
      "stage must be up to 30 lower-case letters, digits and hyphens, starting with a letter, not Prod",
    ],
    [
      { stage: "a".repeat(31) },
      expect.stringMatching(/^stage must be up to 30 lower-case letters, .*, not a{31}$/),
    ],
    [
      { domain: "https://x.example.com" },
      "domain must be a domain name such as api.example.com, not https://x.example.com",
    ],
    [
      { domain: `${"long.".repeat(50)}name` },
      expect.stringMatching(/^domain must be a domain name such as api.example.com, not long\.long/),
    ],
    [
      { certificate: "my-certificate" },
      "certificate must be the ARN of an ACM certificate in the stack's region, not my-certificate",
    ],
    [{ domain: "api.example.com" }, "Set both domain and certificate, or neither"],
    [{ certificate }, "Set both domain and certificate, or neither"],
    [
      { logRetentionDays: "31" },
      expect.stringMatching(/^logRetentionDays must be one of 1, 3, 5, 7, 14, 30, .*3653 days, not 31$/),
    ],
    [
      { alarmTopic: "on-call" },
      "alarmTopic must be the ARN of a standard SNS topic in the stack's region, not on-call",
    ],
    [{ rateLimit: "0" }, "rateLimit must be a number of requests per second, not 0"],
    [{ burstLimit: "many" }, "burstLimit must be a number of requests, not many"],
    [{ keyRateLimit: "9" }, "keyRateLimit must be a number of requests per minute, 10 or more, not 9"],
    [{ concurrency: "0" }, "concurrency must be a number of executions, not 0"],
    [
      { tableName: "a table" },
      "tableName must be the name of a DynamoDB table in the stack's region, not a table",
    ],
    [{ tableName: "ab" }, "tableName must be the name of a DynamoDB table in the stack's region, not ab"],
    [
      { replicaRegions: "eu-west-1 us-west-2" },
      "replicaRegions must be AWS regions separated by commas, such as eu-west-1,us-west-2, not eu-west-1 us-west-2",
    ],
    [
      { replicaRegions: "eu-west-1,eu-west-9" },
      "replicaRegions must be AWS regions separated by commas, such as eu-west-1,us-west-2, not eu-west-1,eu-west-9",
    ],
    [
      { replicaRegions: "us-west-2", tableName: "EmailApi-prod-restored" },
      "replicaRegions cannot be set with tableName, because the stack does not change that table",
    ],
    [{ intake: "yes" }, "intake must be true or false, not yes"],
    [{ deadLetterMinutes: "61" }, "deadLetterMinutes must be a number of minutes from 1 to 60, not 61"],
    [{ removeEverything: "yes" }, "removeEverything must be true or false, not yes"],
    [
      { stag: "dev" },
      "There is no setting named stag. The settings are stage, domain, certificate, logRetentionDays, alarmTopic, " +
        "rateLimit, burstLimit, keyRateLimit, concurrency, tableName, replicaRegions, intake, deadLetterMinutes, removeEverything",
    ],
  ])("%j", (context, message) => {
    expect(() => readSettings(context)).toThrow(refusal(message));
  });
});

describe("The stack's region", () => {
  test("must be a region of AWS", () => {
    expect(() => readSettings({}, "mars-1")).toThrow(refusal("There is no AWS region named mars-1"));
  });

  test("must not be a replica region", () => {
    expect(() => readSettings({ replicaRegions: "us-west-2,eu-west-1" }, "eu-west-1")).toThrow(
      refusal("replicaRegions must not name eu-west-1, because the stack itself is there"),
    );
  });
});

describe("What must be in the stack's own region", () => {
  test.each([
    [
      { domain: "api.example.com", certificate },
      "certificate is in eu-west-1, but the stack is deployed to us-east-1",
    ],
    [{ alarmTopic }, "alarmTopic is in eu-west-1, but the stack is deployed to us-east-1"],
  ])("is refused elsewhere: %j", (context, message) => {
    expect(() => readSettings(context, "us-east-1")).toThrow(refusal(message));
  });

  test("is taken there, and where nobody knows yet which region that is", () => {
    const context = { domain: "api.example.com", certificate, alarmTopic };

    expect(readSettings(context, "eu-west-1")).toMatchObject(context);
    expect(readSettings(context)).toMatchObject(context);
  });
});

describe("The stages of cdk.json", () => {
  const stages = {
    prod: { logRetentionDays: 90, rateLimit: 1000 },
    dev: { removeEverything: true },
  };

  test("each have settings of their own, prod's where no stage is named", () => {
    expect(readSettings({ stages })).toMatchObject({ stage: "prod", logRetentionDays: 90, rateLimit: 1000 });
    expect(readSettings({ stages, stage: "dev" })).toMatchObject({
      stage: "dev",
      logRetentionDays: 30,
      removeEverything: true,
    });
  });

  test("can't be deployed under each other's names", () => {
    const misnamed = { prod: { stage: "dev" } };

    expect(readSettings({ stages: misnamed })).toMatchObject({ stage: "prod" });
  });

  test("give way to --context", () => {
    expect(readSettings({ stages, logRetentionDays: "7" })).toMatchObject({
      logRetentionDays: 7,
      rateLimit: 1000,
    });
  });

  test.each([
    [{ stages, stage: "prd" }, "cdk.json has no stage named prd. Its stages are prod, dev"],
    [
      { stages: { prod: { rateLimt: 5 } } },
      expect.stringMatching(/^There is no setting named rateLimt. The settings are stage, /),
    ],
    [{ stages: { prod: { rateLimit: -1 } } }, "rateLimit must be a number of requests per second, not -1"],
    [
      { stages: "prod" },
      'stages must map each stage to its settings, as in {"prod": {"logRetentionDays": 90}}',
    ],
    [
      { stages: { prod: "all" } },
      'stages must map each stage to its settings, as in {"prod": {"logRetentionDays": 90}}',
    ],
  ])("are refused where they can't be used: %j", (context, message) => {
    expect(() => readSettings(context)).toThrow(refusal(message));
  });
});
