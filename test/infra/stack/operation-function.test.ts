/** The functions and their permissions, as the template has them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../../infra/stack/bundling.ts";
import { getMessage, operations } from "../../../lib/http/operations.ts";
import {
  follow,
  functionOf,
  nameIn,
  ofType,
  type Reference,
  synthesise,
  templateWith,
} from "../../harness/synthesise.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const template = templateWith();

describe("The functions", () => {
  test("run on Node.js 24 and arm64, one per operation", () => {
    template.resourceCountIs("AWS::Lambda::Function", operations.length);
    template.allResourcesProperties("AWS::Lambda::Function", {
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      MemorySize: 1024,
      Environment: { Variables: { TABLE_NAME: { Ref: Match.stringLikeRegexp("^Table") } } },
    });
  });

  test("have no reserved concurrency, unless concurrency is set", () => {
    const reserved = (value: unknown) => ({ ReservedConcurrentExecutions: value });

    templateWith({ eventConcurrency: "50" }).allResourcesProperties("AWS::Lambda::Function", reserved(Match.absent()));
    templateWith({ concurrency: "50" }).allResourcesProperties("AWS::Lambda::Function", reserved(50));
  });

  test("keep a log each, for 30 days", () => {
    const logs = operations.map((operation) =>
      nameIn(functionOf(template, operation).Properties.LoggingConfig.LogGroup),
    );

    expect(new Set(logs).size).toBe(operations.length);
    template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 30 });
  });

  test("can be invoked only by API Gateway, each on its own route", () => {
    const grants = ofType(template, "AWS::Lambda::Permission").map(({ Properties }) => Properties);

    expect(
      grants.map(({ Action, Principal, SourceArn }) => [Action, Principal, SourceArn["Fn::Join"][1].at(-1)]),
    ).toEqual(
      operations.map(({ method, path }) => [
        "lambda:InvokeFunction",
        "apigateway.amazonaws.com",
        `/${method}${path.replaceAll(/\{\w+\}/g, "*")}`,
      ]),
    );
  });
});

describe("Least privilege", () => {
  test.each(operations)("The role of $id allows its own log, and calls on the table that name a key", (operation) => {
    const { Role, LoggingConfig } = functionOf(template, operation).Properties;
    const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = follow(template, Role).Properties;
    const statements = ofType(template, "AWS::IAM::Policy")
      .filter(({ Properties }) => Properties.Roles.some((of: Reference) => nameIn(of) === nameIn(Role)))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
    const [ofLog, ...ofTable] = statements;

    expect([ManagedPolicyArns, Policies]).toEqual([undefined, undefined]);
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } },
    ]);
    expect(ofLog).toEqual({
      Effect: "Allow",
      Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
      Resource: { "Fn::GetAtt": [nameIn(LoggingConfig.LogGroup), "Arn"] },
    });
    for (const { Resource, Condition } of ofTable) {
      expect(nameIn(Resource)).toMatch(/^Table/);
      expect(Condition).toMatchObject({
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": expect.any(Array) },
        Null: { "dynamodb:LeadingKeys": "false" },
      });
    }
  });

  test("Only the functions and API Gateway's logging have a role", () => {
    template.resourceCountIs("AWS::IAM::Role", operations.length + 1);
  });
});

test("A change in any file that a function imports is deployed", () => {
  const project = temporaryFolder();
  for (const folder of ["functions", "lib"]) mkdirSync(join(project, folder));
  const file = join(project, "functions/get-message.ts");
  writeFileSync(file, 'import { greeting } from "../lib/greeting.ts"; export const handler = () => greeting;');
  const operation = { ...getMessage, file: relative(projectRoot, file) };
  const assetWith = (greeting: string) => {
    writeFileSync(join(project, "lib/greeting.ts"), `export const greeting = "${greeting}";`);
    return functionOf(synthesise({}, [operation]).template, operation).Properties.Code.S3Key;
  };

  const first = assetWith("Hello");

  expect(assetWith("Hello")).toBe(first);
  expect(assetWith("Good morning")).not.toBe(first);
});
