/** The table on AWS, as the template has it. */
import { describe, expect, test } from "vitest";
import { getMessage, operations } from "../../lib/api/operations.ts";
import { functionOf, ofType, templateWith } from "../harness/synthesise.ts";

describe("The table", () => {
  test("is on demand, encrypted, recoverable to any second, and rids itself of what has expired", () => {
    templateWith().hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "S" },
      ],
      TimeToLiveSpecification: { AttributeName: "expires_at", Enabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
      Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
    });
  });

  test("survives its stack, and no hand deletes it by mistake", () => {
    templateWith().hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
      Properties: { Replicas: [{ DeletionProtectionEnabled: true }] },
    });
  });

  test("goes with a stack that is thrown away", () => {
    templateWith({ removeEverything: "true" }).hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Delete",
      Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
    });
  });

  test("has a replica in each replica region, after the stack's own region", () => {
    const template = templateWith({ replicaRegions: "us-west-2" });

    const [table] = ofType(template, "AWS::DynamoDB::GlobalTable");

    expect(table?.Properties.Replicas).toEqual(
      ["us-west-2", "eu-west-1"].map((Region) => ({
        Region,
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      })),
    );
  });
});

describe("An existing table", () => {
  const template = templateWith({ tableName: "EmailApi-prod-restored" });
  const arn = (Resource: { "Fn::Join": [string, unknown[]] }) =>
    Resource["Fn::Join"][1].filter((part) => typeof part === "string").join("");

  test("is served instead of a new one, whose place stays empty", () => {
    const { Environment } = functionOf(template, getMessage).Properties;

    template.resourceCountIs("AWS::DynamoDB::GlobalTable", 0);
    template.resourceCountIs("AWS::DynamoDB::Table", 0);
    expect(Environment.Variables.TABLE_NAME).toBe("EmailApi-prod-restored");
    template.hasOutput("TableName", { Value: "EmailApi-prod-restored" });
  });

  test("is the one table that the functions may touch", () => {
    const tables = ofType(template, "AWS::IAM::Policy")
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => String(Action).startsWith("dynamodb:"))
      .map(({ Resource }) => arn(Resource));

    expect(tables.length).toBeGreaterThan(operations.length);
    expect(new Set(tables)).toEqual(
      new Set([expect.stringMatching(/^arn:.*:dynamodb:eu-west-1:.*:table\/EmailApi-prod-restored$/)]),
    );
  });
});
