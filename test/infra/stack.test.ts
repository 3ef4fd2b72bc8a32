/** What an operator relies on in the stack, read from the template that `cdk synth` makes. */
import { Validations } from "aws-cdk-lib";
import { Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { gatewayErrors } from "../../infra/gateway-errors.ts";
import { addAccountMember, getMessage, operations } from "../../lib/api/operations.ts";
import { type Resource, synthesise, withoutBundles } from "../harness/synthesise.ts";

type Reference = { Ref: string } | { "Fn::GetAtt": [string, string] };

const { app, template } = synthesise(withoutBundles);
const resources: Record<string, Resource> = template.toJSON().Resources;
const ofType = (type: string) => Object.values(template.findResources(type)) as Resource[];
const named = (reference: Reference) => ("Ref" in reference ? reference.Ref : reference["Fn::GetAtt"][0]);
const follow = (reference: Reference) => resources[named(reference)] as Resource;

const pathOf = (reference: Reference): string => {
  const { Type, Properties } = follow(reference);
  return Type === "AWS::ApiGateway::Resource" ? `${pathOf(Properties.ParentId)}/${Properties.PathPart}` : "";
};

const routesOf = (from: typeof template) =>
  Object.values(from.findResources("AWS::ApiGateway::Method")).map(
    ({ Properties: { HttpMethod, ResourceId } }) => `${HttpMethod} ${pathOf(ResourceId)}`,
  );

const functionOf = ({ method, path }: { method: string; path: string }) =>
  ofType("AWS::Lambda::Function").find(
    ({ Properties }) => Properties.Description === `${method} ${path}`,
  ) as Resource;

const methodOf = (httpMethod: string) =>
  ofType("AWS::ApiGateway::Method").find(({ Properties }) => Properties.HttpMethod === httpMethod)
    ?.Properties as Resource["Properties"];

describe("The table", () => {
  test("is on demand, encrypted, recoverable to any second, and rids itself of what has expired", () => {
    template.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      TimeToLiveSpecification: { AttributeName: "expires_at", Enabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
      Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
    });
  });

  test("survives its stack, and no hand deletes it by mistake", () => {
    template.hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
      Properties: { Replicas: [{ DeletionProtectionEnabled: true }] },
    });
  });
});

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

  test("keep a log each, for 30 days", () => {
    const logs = [functionOf(getMessage), functionOf(addAccountMember)].map(({ Properties }) =>
      named(Properties.LoggingConfig.LogGroup),
    );
    expect(new Set(logs).size).toBe(2);
    template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 30 });
  });

  test("can be invoked by API Gateway alone, each on its own route", () => {
    template.resourceCountIs("AWS::Lambda::Permission", operations.length);
    const grants = ofType("AWS::Lambda::Permission").map(({ Properties }) => Properties);
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
  const allowed = (operation: typeof getMessage | typeof addAccountMember) => {
    const role = named(functionOf(operation).Properties.Role);
    const { ManagedPolicyArns, Policies } = resources[role]?.Properties ?? {};
    expect([ManagedPolicyArns, Policies]).toEqual([undefined, undefined]);
    return ofType("AWS::IAM::Policy")
      .filter(({ Properties }) => Properties.Roles.some((of: Reference) => named(of) === role))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .map(({ Resource, ...statement }) => ({ ...statement, on: follow(Resource).Type }));
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

  test("Add Account Member looks up a key and a user, puts what it adds in a transaction, and no more", () => {
    const statements = allowed(addAccountMember);

    expect(statements).toEqual([
      onOwnLog,
      onTable("dynamodb:GetItem", ["API_KEY#*", "USER#*"]),
      onTable("dynamodb:PutItem", ["USER#*", "ACCOUNT#*", "IDEMPOTENCY#*"], "TransactWriteItems"),
    ]);
  });

  test("A function writes to its own log and to no other", () => {
    const ownLogs = [getMessage, addAccountMember].map((operation) => {
      const { Role, LoggingConfig } = functionOf(operation).Properties;
      const policy = ofType("AWS::IAM::Policy").find(({ Properties }) =>
        Properties.Roles.some((of: Reference) => named(of) === named(Role)),
      );
      return [named(LoggingConfig.LogGroup), named(policy?.Properties.PolicyDocument.Statement[0].Resource)];
    });

    expect(ownLogs[0]?.[0]).toBe(ownLogs[0]?.[1]);
    expect(ownLogs[1]?.[0]).toBe(ownLogs[1]?.[1]);
  });

  test("Only the functions and API Gateway's logging have a role", () => {
    template.resourceCountIs("AWS::IAM::Role", operations.length + 1);
  });
});

describe("The API", () => {
  test("has the routes of the list of operations, and no other", () => {
    expect(routesOf(template)).toEqual(operations.map(({ method, path }) => `${method} ${path}`));
  });

  test("follows the list of operations when a route in it changes", () => {
    const moved = { ...getMessage, path: "/v3/accounts/{account_id}/mail/{message_id}" };

    const { template: changed } = synthesise(withoutBundles, [moved]);

    changed.resourceCountIs("AWS::ApiGateway::Method", 1);
    changed.hasResourceProperties("AWS::ApiGateway::Resource", { PathPart: "mail" });
    changed.hasResourceProperties("AWS::Lambda::Function", { Description: `GET ${moved.path}` });
  });

  test("does not deploy an operation of which nobody has said what it needs", () => {
    const unknown = { ...getMessage, id: "DeleteMessage" };

    expect(() => synthesise(withoutBundles, [unknown])).toThrow(/does not say what DeleteMessage needs/);
  });

  test("streams a message of 40 MiB, for the time that it takes at 2 MB a second and more", () => {
    const { Integration } = methodOf("GET");

    expect(Integration).toMatchObject({
      Type: "AWS_PROXY",
      ResponseTransferMode: "STREAM",
      TimeoutInMillis: 301_000,
    });
    expect(JSON.stringify(Integration.Uri)).toContain("/response-streaming-invocations");
    expect(functionOf(getMessage).Properties.Timeout).toBe(300);
  });

  test("lets Add Account Member end by itself within the 29 seconds that API Gateway allows", () => {
    expect(methodOf("POST").Integration).toMatchObject({
      ResponseTransferMode: "BUFFERED",
      TimeoutInMillis: 29_000,
    });
    expect(functionOf(addAccountMember).Properties.Timeout).toBe(28);
  });

  test("is regional, and takes 100 requests a second in bursts of 200", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      EndpointConfiguration: { Types: ["REGIONAL"] },
    });
    template.hasResourceProperties("AWS::ApiGateway::Stage", {
      StageName: "prod",
      MethodSettings: [
        {
          HttpMethod: "*",
          ResourcePath: "/*",
          ThrottlingRateLimit: 100,
          ThrottlingBurstLimit: 200,
          MetricsEnabled: true,
          DataTraceEnabled: false,
        },
      ],
    });
  });

  test("speaks TLS 1.2 or better, on an address of its own where it has no domain", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      EndpointAccessMode: "STRICT",
      DisableExecuteApiEndpoint: Match.absent(),
    });
  });

  test("logs each request as JSON: its id, route, status and latencies, and nothing that the caller sent", () => {
    const { Format } = ofType("AWS::ApiGateway::Stage")[0]?.Properties.AccessLogSetting ?? {};

    expect(JSON.parse(Format)).toEqual({
      request_id: "$context.requestId",
      time: "$context.requestTimeEpoch",
      route: "$context.httpMethod $context.resourcePath",
      status: "$context.status",
      response_bytes: "$context.responseLength",
      latency_ms: "$context.responseLatency",
      integration_latency_ms: "$context.integrationLatency",
      time_to_first_byte_ms: "$context.integration.timeToFirstContent",
      integration_status: "$context.integrationStatus",
      function_request_id: "$context.awsEndpointRequestId",
      error_type: "$context.error.responseType",
    });
  });

  test.each([
    ["DEFAULT_4XX", "404", gatewayErrors.noRoute.message],
    ["REQUEST_TOO_LARGE", "413", gatewayErrors.tooLarge.message],
    ["THROTTLED", "429", gatewayErrors.throttled.message],
    ["WAF_FILTERED", "403", gatewayErrors.blocked.message],
    ["DEFAULT_5XX", "500", "Internal server error"],
  ])("answers %s itself, in the contract's shape, with %s", (type, status, message) => {
    template.hasResourceProperties("AWS::ApiGateway::GatewayResponse", {
      ResponseType: type,
      StatusCode: status,
      ResponseParameters: {
        "gatewayresponse.header.Cache-Control": "'no-store'",
        "gatewayresponse.header.X-Content-Type-Options": "'nosniff'",
        "gatewayresponse.header.X-Request-Id": "context.requestId",
      },
      ResponseTemplates: { "application/json": JSON.stringify({ message }) },
    });
  });

  test("sets aside no answer of API Gateway's but those", () => {
    template.resourceCountIs("AWS::ApiGateway::GatewayResponse", 5);
  });
});

describe("Monitoring", () => {
  test("alarms on 5xx, latency, failing and throttled functions and a throttled table", () => {
    const alarms = ofType("AWS::CloudWatch::Alarm").map(({ Properties }) => [
      Properties.AlarmDescription,
      Properties.Threshold,
    ]);

    expect(alarms).toEqual([
      ["More than 1% of all requests end in a 5xx", 1],
      ["One in a hundred GetMessage takes longer than 5 seconds", 5000],
      ["One in a hundred AddAccountMember takes longer than 2 seconds", 2000],
      [expect.stringMatching(/^GetMessage crashes/), 0],
      [expect.stringMatching(/^GetMessage runs as often at once/), 0],
      [expect.stringMatching(/^AddAccountMember crashes/), 0],
      [expect.stringMatching(/^AddAccountMember runs as often at once/), 0],
      ["DynamoDB turns calls on the table away", 0],
    ]);
  });

  test("is quiet while there is nothing to measure, and wakes nobody for a single bad period", () => {
    template.allResourcesProperties("AWS::CloudWatch::Alarm", {
      TreatMissingData: "notBreaching",
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    });
  });

  test("watches the routes by the dimensions that API Gateway reports them under", () => {
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      MetricName: "Latency",
      ExtendedStatistic: "p99",
      Dimensions: Match.arrayWith([
        { Name: "ApiName", Value: "EmailApi-prod" },
        { Name: "Method", Value: "POST" },
        { Name: "Resource", Value: addAccountMember.path },
      ]),
    });
  });

  test("looks for a function's counts where the function is told to leave them, apart from other stages'", () => {
    const body = JSON.stringify(ofType("AWS::CloudWatch::Dashboard")[0]?.Properties.DashboardBody);
    const drawn = new Set([...body.matchAll(/EmailApi\/[\w-]+/g)].map(([namespace]) => namespace));
    const told = ofType("AWS::Lambda::Function").map(
      ({ Properties }) => Properties.Environment.Variables.POWERTOOLS_METRICS_NAMESPACE,
    );

    expect([...drawn]).toEqual(["EmailApi/prod"]);
    expect(told).toEqual(["EmailApi/prod", "EmailApi/prod"]);
  });

  test("draws traffic, latency, errors, throttles, replays and what the table consumes", () => {
    const body = ofType("AWS::CloudWatch::Dashboard")[0]?.Properties.DashboardBody["Fn::Join"][1];
    const { widgets } = JSON.parse(
      body.map((part: unknown) => (typeof part === "string" ? part : "?")).join(""),
    );

    const metrics = new Set(
      widgets.flatMap(({ properties }: { properties: { metrics: string[][] } }) =>
        properties.metrics.map(([, name]) => name),
      ),
    );

    expect([...metrics]).toEqual(
      expect.arrayContaining([
        "Count",
        "4XXError",
        "5XXError",
        "Latency",
        "Errors",
        "Throttles",
        "ServerError",
        "ColdStart",
        "Replay",
        "PayloadMismatch",
        "ConsumedReadCapacityUnits",
        "ConsumedWriteCapacityUnits",
        "ReadThrottleEvents",
        "WriteThrottleEvents",
      ]),
    );
  });
});

test("The outputs name what the next commands ask for", () => {
  expect(Object.keys(template.toJSON().Outputs)).toEqual(["ApiUrl", "TableName", "DashboardUrl"]);
});

describe("AWS's own review, cdk-nag's AwsSolutions,", () => {
  const found = (checks: AwsSolutionsChecks) =>
    checks.validateScope(app).violations.map(({ ruleName }) => ruleName);

  const setAside = () =>
    app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries<string>(data))
      .map(([id, reason]) => [id.replace("Annotation::", ""), reason] as const);

  test("finds nothing but what the code sets aside with a reason", () => {
    expect(found(new AwsSolutionsChecks(app))).toEqual([]);
    expect(setAside().map(([, reason]) => reason)).not.toContain("");
  });

  test("would find each of those, were it not set aside", () => {
    const unheeding = new AwsSolutionsChecks(app);
    Object.assign(unheeding, { isAcknowledged: () => false });

    expect(found(unheeding).sort()).toEqual(
      setAside()
        .map(([id]) => id)
        .sort(),
    );
  });
});
