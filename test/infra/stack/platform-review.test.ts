/** What a company's platform team checks: the rules of all packs of cdk-nag, against the table in infra/README.md. */
import { readFileSync } from "node:fs";
import * as nag from "cdk-nag";
import { expect, test } from "vitest";
import { operations } from "../../../lib/http/operations.ts";
import { everySetting, type Resource, synthesise, templateWith, withoutBundles } from "../../harness/synthesise.ts";

const packs = [
  nag.AwsSolutionsChecks,
  nag.HIPAASecurityChecks,
  nag.NIST80053R4Checks,
  nag.NIST80053R5Checks,
  nag.PCIDSS321Checks,
  nag.ServerlessChecks,
];

/** Returns the names of the violated rules without the pack and the resource. */
const violatedRules = (settings: object): string[] => {
  const { app } = synthesise({ ...withoutBundles, ...settings });
  const found = packs.flatMap((Pack) => new Pack(app).validateScope(app).violations);
  return [...new Set(found.map(({ ruleName }) => ruleName.replace(/^[\w.]+-|\[.*/g, "")))].sort();
};

/** The rows of the table: the rules in a row, the columns with a mark, and the text. */
const rows = (
  /^\| Rule \|.*\n.*\n((?:\|.*\n)+)/m
    .exec(readFileSync(new URL("../../../infra/README.md", import.meta.url), "utf8"))?.[1]
    ?.trimEnd()
    .split("\n") ?? []
).map((line) => {
  const [, rules = "", ...cells] = line.split("|").map((cell) => cell.trim());
  return {
    rules: [...rules.matchAll(/`(\w+)`/g)].map(([, rule = ""]) => rule),
    marks: cells.slice(0, 3),
    texts: cells.slice(3, 5),
  };
});

test.each([
  ["the default settings", {}, 0],
  ["intake", { intake: "true" }, 1],
  ["all settings", everySetting, 2],
  ["all settings and removeEverything", { ...everySetting, removeEverything: "true" }, 2],
])("With %s, the violated rules are those of README's table", (_, settings, column) => {
  const listed = rows.filter(({ marks }) => marks[column] === "×").flatMap(({ rules }) => rules);

  expect(violatedRules(settings)).toEqual(listed.sort());
});

test("Every row says why, and what to do if a company demands it", () => {
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.flatMap(({ texts }) => texts).filter((text) => text.length < 10)).toEqual([]);
});

test("kmsKey encrypts the table and its replicas, every log, the bucket and the queues, and each role may use it for its calls", () => {
  const { kmsKey } = everySetting;
  const template = templateWith(everySetting);
  const { Resources } = template.toJSON();
  const replicaKey = kmsKey.replace("eu-west-1", "us-west-2");
  const [table, ...logs] = ["AWS::DynamoDB::GlobalTable", "AWS::Logs::LogGroup"].flatMap((type) =>
    Object.values(template.findResources(type)),
  );

  expect(
    table?.Properties.Replicas.map(({ SSESpecification }: { SSESpecification: object }) => SSESpecification),
  ).toEqual([{ KMSMasterKeyId: replicaKey }, { KMSMasterKeyId: kmsKey }]);
  for (const { Properties } of logs) expect(Properties.KmsKeyId).toBe(kmsKey);
  template.allResourcesProperties("AWS::SQS::Queue", { KmsMasterKeyId: kmsKey });
  template.allResourcesProperties("AWS::S3::Bucket", {
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        { BucketKeyEnabled: true, ServerSideEncryptionByDefault: { KMSMasterKeyID: kmsKey, SSEAlgorithm: "aws:kms" } },
      ],
    },
  });
  const uses = Object.entries<Resource>(Resources).map(([id, { Properties }]) => {
    const statements: { Action: string | string[] }[] = Properties?.PolicyDocument?.Statement ?? [];
    const calls = statements.flatMap(({ Action }) => Action).filter((action) => action.startsWith("kms:"));
    return [id.replace(/(DefaultPolicy)?[\dA-F]{8}$/, ""), calls.join(" ").replaceAll("kms:", "")];
  });
  const ofTable =
    "Decrypt DescribeKey Encrypt GenerateDataKey GenerateDataKeyWithoutPlaintext ReEncryptFrom ReEncryptTo";
  expect(Object.fromEntries(uses.filter(([, calls]) => calls !== ""))).toEqual({
    ...Object.fromEntries(operations.map(({ id }) => [`${id}Role`, ofTable])),
    Desk: "Decrypt DescribeKey",
    IntakePipeline: "Decrypt GenerateDataKey",
    IntakeRecordEventsRole: `${ofTable} Decrypt`,
  });
});

test("tracing, tags, a permissions boundary and a bootstrap qualifier reach every resource that has them", () => {
  const template = templateWith({
    ...everySetting,
    "@aws-cdk/core:permissionsBoundary": { name: "company-boundary" },
    "@aws-cdk/core:bootstrapQualifier": "mail",
  });

  template.allResourcesProperties("AWS::Lambda::Function", { TracingConfig: { Mode: "Active" } });
  template.hasResourceProperties("AWS::ApiGateway::Stage", { TracingEnabled: true });
  const Tags = [
    { Key: "cost-center", Value: "42" },
    { Key: "team", Value: "mail" },
  ];
  for (const type of ["AWS::Lambda::Function", "AWS::SQS::Queue", "AWS::Logs::LogGroup", "AWS::ApiGateway::Stage"]) {
    template.allResourcesProperties(type, { Tags });
  }
  for (const { Properties } of Object.values(template.findResources("AWS::IAM::Role"))) {
    expect(JSON.stringify(Properties.PermissionsBoundary)).toContain(":policy/company-boundary");
  }
  expect(JSON.stringify(template.toJSON())).toContain("cdk-mail-assets-");
});
