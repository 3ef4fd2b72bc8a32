/** The table on AWS, as the template has it. */
import { describe, expect, test } from "vitest";
import { indexSchema, keyAttributes } from "../../../infra/person/index-schema.ts";
import { operations } from "../../../lib/http/operations.ts";
import { everySetting, functionOf, ofType, templateWith } from "../../harness/synthesise.ts";

const throttledKeys = { Enabled: true, Mode: "THROTTLED_KEYS" };

describe("The table", () => {
  test("is on demand and encrypted, has point-in-time recovery, and deletes expired items", () => {
    templateWith().hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      AttributeDefinitions: ["pk", "sk", "person", "created_at"].map((AttributeName) => ({
        AttributeName,
        AttributeType: "S",
      })),
      TimeToLiveSpecification: { AttributeName: "expires_at", Enabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
      Replicas: [
        {
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          ContributorInsightsSpecification: throttledKeys,
        },
      ],
    });
  });

  test("has the index that `npm start` creates, too, and no function may query it", () => {
    const template = templateWith(everySetting);
    const [table] = ofType(template, "AWS::DynamoDB::GlobalTable");
    const grants = ofType(template, "AWS::IAM::Policy");

    expect(table?.Properties.GlobalSecondaryIndexes).toEqual([indexSchema]);
    expect(table?.Properties.AttributeDefinitions).toEqual(keyAttributes);
    expect(JSON.stringify(grants)).not.toContain("/index/");
  });

  test.each([
    ["outlives its stack and has deletion protection", {}, "RetainExceptOnCreate", "Retain", true],
    ["is deleted with its stack if removeEverything is set", { removeEverything: "true" }, "Delete", "Delete", false],
  ])("%s", (_, settings, policy, replaced, isProtected) => {
    templateWith(settings).hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: policy,
      UpdateReplacePolicy: replaced,
      Properties: { Replicas: [{ DeletionProtectionEnabled: isProtected }] },
    });
  });

  test("is protected in the stack's own region, and its replicas can be given up", () => {
    const [table] = ofType(templateWith({ replicaRegions: "us-west-2" }), "AWS::DynamoDB::GlobalTable");

    expect(table?.Properties.Replicas).toEqual(
      ["us-west-2", "eu-west-1"].map((Region) => ({
        Region,
        DeletionProtectionEnabled: Region === "eu-west-1",
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        ContributorInsightsSpecification: throttledKeys,
        GlobalSecondaryIndexes: [{ IndexName: "person", ContributorInsightsSpecification: throttledKeys }],
      })),
    );
  });
});

describe("An existing table", () => {
  const template = templateWith({ tableName: "EmailApi-prod-restored" });

  test("replaces the stack's own table", () => {
    template.resourceCountIs("AWS::DynamoDB::GlobalTable", 0);
    template.resourceCountIs("AWS::DynamoDB::Table", 0);
    template.hasOutput("TableName", { Value: "EmailApi-prod-restored" });
    for (const operation of operations) {
      const { Environment } = functionOf(template, operation).Properties;
      expect(Environment.Variables.TABLE_NAME).toBe("EmailApi-prod-restored");
    }
  });

  test("is the only table that the functions may use", () => {
    const tables = ofType(template, "AWS::IAM::Policy")
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => /dynamodb:/.test(String(Action)))
      .map(({ Resource }) => Resource["Fn::Join"][1].filter((part: unknown) => typeof part === "string").join(""));

    expect(tables.length).toBeGreaterThanOrEqual(operations.length);
    expect(new Set(tables)).toEqual(
      new Set([expect.stringMatching(/^arn:.*:dynamodb:eu-west-1:.*:table\/EmailApi-prod-restored$/)]),
    );
  });
});
