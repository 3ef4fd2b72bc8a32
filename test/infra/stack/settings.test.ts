/** The settings, and the errors for wrong settings before anything is deployed. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../../infra/stack/settings.ts";

const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";
const alarmTopic = "arn:aws:sns:eu-west-1:123456789012:on-call";
const domain = "api.example.com";
const kmsKey = "arn:aws:kms:eu-west-1:123456789012:key/mrk-1234abcd12ab34cd56ef1234567890ab";

const userError = (message: unknown) => expect.objectContaining({ name: "UserError", message });

test("Without settings, the stage is prod, limits are moderate, and no data is deleted", () => {
  expect(readSettings({ "@aws-cdk/core:checkSecretUsage": true })).toEqual({
    stage: "prod",
    logRetentionDays: 30,
    rateLimit: 100,
    burstLimit: 200,
    replicaRegions: [],
    intake: false,
    eventConcurrency: 5,
    deadLetterMinutes: 60,
    tracing: false,
    tags: {},
    gatewayLogRole: true,
    remove: [],
    ses: [],
    removeEverything: false,
  });
});

test("Settings from the command line are strings, and those from cdk.json may be numbers and booleans", () => {
  const settings = {
    stage: "dev",
    domain,
    certificate,
    alarmTopic,
    logRetentionDays: 7,
    rateLimit: 1000,
    burstLimit: 2000,
    keyRateLimit: 600,
    concurrency: 50,
    eventConcurrency: 20,
    kmsKey,
    tracing: true,
    gatewayLogRole: false,
    replicaRegions: ["us-west-2", "eu-central-1"],
    intake: true,
    deadLetterMinutes: 1,
    ses: ["marketing", "receipts"],
    sesReceived: "inbound:example.com",
    removeEverything: true,
  };
  const asText = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));

  expect(readSettings(asText)).toMatchObject(settings);
  expect(readSettings(settings)).toMatchObject(settings);
});

test("Tags are a list of names and values", () => {
  expect(readSettings({ tags: "team=mail,cost-center=42" }).tags).toEqual({ team: "mail", "cost-center": "42" });
});

test("remove is for one deployment, so cdk.json can't have it", () => {
  expect(() => readSettings({ stages: { prod: { remove: "intake" } } })).toThrow(
    userError("remove is for one deployment: write it as --context remove=…, not into cdk.json"),
  );
});

test("Events of SES need an intake, so the stack has one", () => {
  expect(readSettings({ ses: "marketing" }).intake).toBe(true);
  expect(readSettings({ sesReceived: "inbound:example.com" }).intake).toBe(true);
});

test.each(["replicaRegions", "ses"] as const)("%s may name the same twice, and it counts once", (name) => {
  expect(readSettings({ [name]: "us-west-2,us-west-2" })[name]).toEqual(["us-west-2"]);
});

test("remove names several parts", () => {
  expect(readSettings({ remove: "intake,domain" }).remove).toEqual(["intake", "domain"]);
});

test("README's table has every setting, and no other", () => {
  const readme = readFileSync(new URL("../../../infra/README.md", import.meta.url), "utf8");
  const [, table = ""] = /^\| Setting \|.*\n.*\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const named = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/\w+/g) ?? []);

  expect(() => readSettings({ "no-setting": "" })).toThrow(
    userError(`There is no setting named no-setting. The settings are ${named.join(", ")}`),
  );
});

test.each([
  ["stage", "Prod", "up to 30 lower-case letters, digits and hyphens, starting with a letter"],
  ["domain", "https://x.example.com", "a domain name such as api.example.com"],
  ["certificate", "my-certificate", "the ARN of an ACM certificate in the stack's region"],
  ["alarmTopic", "on-call", "the ARN of a standard SNS topic in the stack's region"],
  ["rateLimit", "0", "a number of requests per second"],
  ["burstLimit", "many", "a number of requests"],
  ["keyRateLimit", "9", "a number of requests per minute from 10 to 99999999"],
  ["concurrency", "0", "a number of executions"],
  ["eventConcurrency", "1", "a number of executions from 2 to 1000"],
  ["kmsKey", "alias/mail", "the ARN of a KMS key (not of an alias) in the stack's region"],
  ["tags", "team", "NAME=VALUE,NAME=VALUE"],
  ["remove", "the table", "names separated by commas, such as intake,domain"],
  ["tableName", "a table", "the name of a DynamoDB table in the stack's region"],
  ["replicaRegions", "eu-west-1 us-west-2", "AWS regions separated by commas, such as eu-west-1,us-west-2"],
  ["replicaRegions", "eu-west-1,eu-west-9", "AWS regions separated by commas, such as eu-west-1,us-west-2"],
  ["intake", "yes", "true or false"],
  ["deadLetterMinutes", "61", "a number of minutes from 1 to 60"],
  ["ses", "marketing,", "names of SES configuration sets, separated by commas"],
  ["sesReceived", "inbound", "RULE_SET:DOMAIN, such as inbound:example.com"],
  ["removeEverything", "yes", "true or false"],
])("%s=%s is rejected with the values that the setting accepts", (name, value, accepted) => {
  expect(() => readSettings({ [name]: value })).toThrow(userError(`${name} must be ${accepted}, not ${value}`));
});

const letters = (count: number) => "a".repeat(count);
const topicNamed = (name: string) => `arn:aws:sns:eu-west-1:123456789012:${name}`;
const keyNamed = (name: string) => `arn:aws:kms:eu-west-1:123456789012:key/${name}`;

test.each<[string, accepted: string[], rejected: string[]]>([
  ["stage", ["a", `${letters(28)}-1`], ["", letters(31), "1a", "-a"]],
  [
    "domain",
    ["a.io", "x-1.example.com", `${"long.".repeat(50)}abc`],
    ["a.b", "example", "-x.example.com", "x-.example.com", "x..example.com", `${"long.".repeat(50)}name`],
  ],
  [
    "certificate",
    [certificate, "arn:aws-cn:acm:cn-north-1:123456789012:certificate/a-1"],
    ["12345678901", "1234567890123"].map((account) => certificate.replace("123456789012", account)),
  ],
  [
    "alarmTopic",
    [topicNamed(letters(256)), alarmTopic.replace("aws", "aws-us-gov")],
    [topicNamed(letters(257)), topicNamed("on-call.fifo"), alarmTopic.replace("123456789012", "12345678901")],
  ],
  ["logRetentionDays", ["1", "3653"], ["0", "9999"]],
  ["rateLimit", ["1", "999999"], ["1000000", "1.5", "-1"]],
  ["burstLimit", ["1", "999999"], ["0", "1000000"]],
  ["keyRateLimit", ["10", "99999999"], ["9", "100000000"]],
  ["concurrency", ["1", "999999"], ["0", "1000000"]],
  ["eventConcurrency", ["2", "9", "10", "999", "1000"], ["0", "1", "1001", "2000"]],
  ["deadLetterMinutes", ["1", "9", "10", "59", "60"], ["0", "61", "100"]],
  ["tableName", ["a.b", "A_1-b", letters(255)], ["ab", letters(256)]],
  ["ses", [letters(64), `${letters(64)},b-1_C`], [letters(65), `a,${letters(65)}`, ",a"]],
  [
    "sesReceived",
    [`${letters(64)}:a.io`, "a.b_1:example.com"],
    [`${letters(65)}:a.io`, ":a.io", "a:example", "a:.a.io"],
  ],
  [
    "kmsKey",
    [kmsKey, keyNamed("1234abcd-12ab-34cd-56ef-1234567890ab")],
    [keyNamed(`mrk-${letters(31)}`), keyNamed(`mrk-${letters(33)}`), keyNamed("mail")],
  ],
  [
    "tags",
    [`${letters(128)}=${letters(256)}`, "a=b,c d=e f"],
    [`${letters(129)}=a`, `a=${letters(257)}`, "a=", "=a", "a=b=c", "a=b,", "a=b,c"],
  ],
  ["remove", ["intake", "intake,domain"], ["intake,", ",intake"]],
])("%s is accepted up to its limits, and rejected beyond them", (name, accepted, rejected) => {
  const read = (value: string) => () => readSettings({ domain, certificate, [name]: value });

  for (const value of accepted) expect(read(value), value).not.toThrow();
  for (const value of rejected) expect(read(value), value).toThrow(`${name} must be `);
});

test("Two wrong settings are two lines", () => {
  expect(() => readSettings({ intake: "yes", rateLimit: "0" })).toThrow(
    userError("rateLimit must be a number of requests per second, not 0\nintake must be true or false, not yes"),
  );
});

const mustBeDays = expect.stringMatching(/^logRetentionDays must be one of 1, 3, 5, 7, 14, 30, .*3653 days, not 31$/);
const bothOrNeither = "Set both domain and certificate, or neither";

test.each([
  [{ logRetentionDays: "31" }, mustBeDays],
  [{ domain }, bothOrNeither],
  [{ certificate }, bothOrNeither],
  [
    { replicaRegions: "us-west-2", tableName: "EmailApi-prod-restored" },
    "replicaRegions cannot be set with tableName, because the stack does not change that table",
  ],
  [
    { replicaRegions: "us-west-2", kmsKey: kmsKey.replace(/mrk.*/, "1234abcd-12ab-34cd-56ef-1234567890ab") },
    "kmsKey must be a multi-Region key with replicaRegions, with a replica in each of the regions",
  ],
  [{ stag: "dev" }, expect.stringMatching(/^There is no setting named stag. The settings are stage, /)],
])("%j is rejected with one line", (context, message) => {
  expect(() => readSettings(context)).toThrow(userError(message));
});

describe("The stack's region", () => {
  test.each([
    ["mars-1", {}, "There is no AWS region named mars-1"],
    [
      "eu-west-1",
      { replicaRegions: "us-west-2,eu-west-1" },
      "replicaRegions must not name eu-west-1, because the stack itself is there",
    ],
    ["us-east-1", { domain, certificate }, "certificate is in eu-west-1, but the stack is deployed to us-east-1"],
    ["us-east-1", { kmsKey }, "kmsKey is in eu-west-1, but the stack is deployed to us-east-1"],
    ["us-east-1", { alarmTopic }, "alarmTopic is in eu-west-1, but the stack is deployed to us-east-1"],
  ])("%s rejects %j", (region, context, message) => {
    expect(() => readSettings(context, region)).toThrow(userError(message));
  });

  test("accepts a certificate and a topic of this region, and of any region while the region is unknown", () => {
    const context = { domain, certificate, alarmTopic };

    expect(readSettings(context, "eu-west-1")).toMatchObject(context);
    expect(readSettings(context)).toMatchObject(context);
  });
});

describe("A stage of cdk.json", () => {
  const stages = {
    prod: { logRetentionDays: 90, rateLimit: 1000 },
    dev: { removeEverything: true },
  };

  test("has its own settings, and prod is the default stage", () => {
    expect(readSettings({ stages })).toMatchObject({ stage: "prod", logRetentionDays: 90, rateLimit: 1000 });
    expect(readSettings({ stages, stage: "dev" })).toMatchObject({
      stage: "dev",
      logRetentionDays: 30,
      removeEverything: true,
    });
  });

  test("cannot be deployed under the name of another stage", () => {
    expect(readSettings({ stages: { prod: { stage: "dev" } } })).toMatchObject({ stage: "prod" });
  });

  test("yields to --context", () => {
    expect(readSettings({ stages, logRetentionDays: "7" })).toMatchObject({
      logRetentionDays: 7,
      rateLimit: 1000,
    });
  });

  const example = 'stages must map each stage to its settings, as in {"prod": {"logRetentionDays": 90}}';

  test.each([
    [{ stages, stage: "prd" }, "cdk.json has no stage named prd. Its stages are prod, dev"],
    [{ stages: { prod: { rateLimt: 5 } } }, expect.stringMatching(/^There is no setting named rateLimt\. /)],
    [{ stages: { prod: { rateLimit: -1 } } }, "rateLimit must be a number of requests per second, not -1"],
    [{ stages: "prod" }, example],
    [{ stages: { prod: "all" } }, example],
  ])("is rejected if it is wrong: %j", (context, message) => {
    expect(() => readSettings(context)).toThrow(userError(message));
  });
});
