/** The functions and what they may do, as the template has it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../infra/bundling.ts";
import { addAccountMember, getMessage, type Operation, operations } from "../../lib/api/operations.ts";
import {
  follow,
  functionOf,
  nameIn,
  ofType,
  type Reference,
  synthesise,
  templateWith,
} from "../harness/synthesise.ts";

const template = templateWith();

describe("The functions", () => {
  test("run on Node.js 24 and arm64, one for each operation", () => {
    template.resourceCountIs("AWS::Lambda::Function", operations.length);
    template.allResourcesProperties("AWS::Lambda::Function", {
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      MemorySize: 1024,
      Environment: { Variables: { TABLE_NAME: { Ref: Match.stringLikeRegexp("^Table") } } },
    });
  });

  test("share what the account may run at once, unless some of it is set apart for each", () => {
    template.allResourcesProperties("AWS::Lambda::Function", {
      ReservedConcurrentExecutions: Match.absent(),
    });
    templateWith({ concurrency: "50" }).allResourcesProperties("AWS::Lambda::Function", {
      ReservedConcurrentExecutions: 50,
    });
  });

  test("keep a log each, for 30 days", () => {
    const logs = operations.map((operation) =>
      nameIn(functionOf(template, operation).Properties.LoggingConfig.LogGroup),
    );
    expect(new Set(logs).size).toBe(operations.length);
    template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 30 });
  });

  test("can be invoked by API Gateway alone, each on its own route", () => {
    template.resourceCountIs("AWS::Lambda::Permission", operations.length);
    const grants = ofType(template, "AWS::Lambda::Permission").map(({ Properties }) => Properties);
    expect(grants.map(({ Action, Principal }) => [Action, Principal])).toEqual(
      operations.map(() => ["lambda:InvokeFunction", "apigateway.amazonaws.com"]),
    );
    expect(grants.map(({ SourceArn }) => SourceArn["Fn::Join"][1].at(-1))).toEqual([
      "/GET/v2/accounts/*/messages/*",
      "/POST/v2/accounts/*/members",
    ]);
  });
});

describe("Least privilege", () => {
  /** Everything that a function's role allows, wherever it is written. */
  const allowed = (operation: Operation) => {
    const { Role } = functionOf(template, operation).Properties;
    const { AssumeRolePolicyDocument, ManagedPolicyArns, Policies } = follow(template, Role).Properties;
    expect([ManagedPolicyArns, Policies]).toEqual([undefined, undefined]);
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } },
    ]);
    return ofType(template, "AWS::IAM::Policy")
      .filter(({ Properties }) => Properties.Roles.some((of: Reference) => nameIn(of) === nameIn(Role)))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .map(({ Resource, ...statement }) => ({ ...statement, on: follow(template, Resource).Type }));
  };
  const onTable = (action: string, prefixes: string[], within?: string) => ({
    Effect: "Allow",
    Action: action,
    on: "AWS::DynamoDB::GlobalTable",
    Condition: {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": prefixes },
      Null: { "dynamodb:LeadingKeys": "false" },
      ...(within && { "ForAnyValue:StringEquals": { "dynamodb:EnclosingOperation": [within] } }),
    },
  });
  const onOwnLog = {
    Effect: "Allow",
    Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
    on: "AWS::Logs::LogGroup",
  };

  test("Get Message looks up an API key and queries messages, and may do no more", () => {
    const statements = allowed(getMessage);

    expect(statements).toEqual([
      onOwnLog,
      onTable("dynamodb:GetItem", ["API_KEY#*"]),
      onTable("dynamodb:Query", ["MESSAGE#*"]),
    ]);
  });

  test("Add Account Member looks up keys and what it adds, which it puts in a transaction, and no more", () => {
    const statements = allowed(addAccountMember);

    expect(statements).toEqual([
      onOwnLog,
      onTable("dynamodb:GetItem", ["API_KEY#*", "USER#*", "ACCOUNT#*", "IDEMPOTENCY#*"]),
      onTable("dynamodb:PutItem", ["USER#*", "ACCOUNT#*", "IDEMPOTENCY#*"], "TransactWriteItems"),
    ]);
  });

  test("A function writes to its own log and to no other", () => {
    const ownLogs = operations.map((operation) => {
      const { Role, LoggingConfig } = functionOf(template, operation).Properties;
      const policy = ofType(template, "AWS::IAM::Policy").find(({ Properties }) =>
        Properties.Roles.some((of: Reference) => nameIn(of) === nameIn(Role)),
      );
      const [{ Resource }] = policy?.Properties.PolicyDocument.Statement ?? [];
      return [nameIn(LoggingConfig.LogGroup), nameIn(Resource)];
    });

    expect(ownLogs.map(([told]) => told)).toEqual(ownLogs.map(([, allowed]) => allowed));
  });

  test("Only the functions and API Gateway's logging have a role", () => {
    template.resourceCountIs("AWS::IAM::Role", operations.length + 1);
  });
});

describe("What is deployed", () => {
  const project = mkdtempSync(join(tmpdir(), "email-api-"));
  mkdirSync(join(project, "functions"));
  mkdirSync(join(project, "lib"));
  writeFileSync(
    join(project, "functions/get-message.ts"),
    'import { greeting } from "../lib/greeting.ts"; export const handler = () => greeting;',
  );

  /** The asset of a function that imports a file with this content. */
  const deployed = (imported: string) => {
    writeFileSync(join(project, "lib/greeting.ts"), imported);
    const file = relative(projectRoot, join(project, "functions/get-message.ts"));
    const operation = { ...getMessage, file };
    return functionOf(synthesise({}, [operation]).template, operation).Properties.Code.S3Key;
  };

  test("follows every file that a function imports: a change in any of them ships", () => {
    onTestFinished(() => rmSync(project, { recursive: true }));

    const first = deployed('export const greeting = "Hello";');
    const same = deployed('export const greeting = "Hello";');
    const changed = deployed('export const greeting = "Good morning";');

    expect(same).toBe(first);
    expect(changed).not.toBe(first);
  });
});
