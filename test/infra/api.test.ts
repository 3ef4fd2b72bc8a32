/** The REST API, as the template has it. */
import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import * as errors from "../../lib/api/error-catalogue.ts";
import { addAccountMember, getMessage, operations } from "../../lib/api/operations.ts";
import {
  follow,
  functionOf,
  ofType,
  type Reference,
  type Resource,
  synthesise,
  templateWith,
  withoutBundles,
} from "../harness/synthesise.ts";

const template = templateWith();

const pathOf = (of: Template, reference: Reference): string => {
  const { Type, Properties } = follow(of, reference);
  return Type === "AWS::ApiGateway::Resource"
    ? `${pathOf(of, Properties.ParentId)}/${Properties.PathPart}`
    : "";
};

const routesOf = (of: Template) =>
  ofType(of, "AWS::ApiGateway::Method").map(
    ({ Properties: { HttpMethod, ResourceId } }) => `${HttpMethod} ${pathOf(of, ResourceId)}`,
  );

const methodOf = (httpMethod: string) =>
  ofType(template, "AWS::ApiGateway::Method").find(({ Properties }) => Properties.HttpMethod === httpMethod)
    ?.Properties as Resource["Properties"];

describe("The routes", () => {
  test("are those of the list of operations, and no other", () => {
    expect(routesOf(template)).toEqual(operations.map(({ method, path }) => `${method} ${path}`));
  });

  test("follow the list of operations when a route in it changes", () => {
    const moved = { ...getMessage, path: "/v3/accounts/{account_id}/mail/{message_id}" };

    const { template: changed } = synthesise(withoutBundles, [moved]);

    expect(routesOf(changed)).toEqual([`GET ${moved.path}`]);
    changed.hasResourceProperties("AWS::Lambda::Function", { Description: `GET ${moved.path}` });
  });

  test("stream a message of 40 MiB, for the time that it takes at 2 MB a second and more", () => {
    const { Integration } = methodOf("GET");

    expect(Integration).toMatchObject({
      Type: "AWS_PROXY",
      ResponseTransferMode: "STREAM",
      TimeoutInMillis: 301_000,
    });
    expect(JSON.stringify(Integration.Uri)).toContain("/response-streaming-invocations");
    expect(functionOf(template, getMessage).Properties.Timeout).toBe(300);
  });

  test("let Add Account Member end by itself within the 29 seconds that API Gateway allows", () => {
    expect(methodOf("POST").Integration).toMatchObject({
      ResponseTransferMode: "BUFFERED",
      TimeoutInMillis: 29_000,
    });
    expect(functionOf(template, addAccountMember).Properties.Timeout).toBe(28);
  });
});

describe("The API", () => {
  test("is regional, and takes 100 requests a second in bursts of 200", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      Name: "EmailApi-prod",
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

  test("takes as many requests as its limits say", () => {
    const limited = templateWith({ rateLimit: "1000", burstLimit: "2000" });

    limited.hasResourceProperties("AWS::ApiGateway::Stage", {
      MethodSettings: [Match.objectLike({ ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 })],
    });
  });

  test("speaks TLS 1.2 or better, on API Gateway's address where it has no domain", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      EndpointAccessMode: "STRICT",
      DisableExecuteApiEndpoint: Match.absent(),
    });
    template.hasOutput("ApiUrl", {
      Value: {
        "Fn::Join": [
          "",
          [
            "https://",
            { Ref: Match.stringLikeRegexp("RestApi") },
            ".execute-api.",
            { Ref: "AWS::Region" },
            ".",
            { Ref: "AWS::URLSuffix" },
            "/prod",
          ],
        ],
      },
    });
  });

  test("answers at its domain, and nowhere else", () => {
    const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";

    const own = templateWith({ domain: "api.example.com", certificate });

    own.hasResourceProperties("AWS::ApiGateway::RestApi", { DisableExecuteApiEndpoint: true });
    own.hasResourceProperties("AWS::ApiGateway::DomainName", {
      DomainName: "api.example.com",
      RegionalCertificateArn: certificate,
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      EndpointAccessMode: "STRICT",
      EndpointConfiguration: { Types: ["REGIONAL"] },
    });
    own.resourceCountIs("AWS::ApiGateway::BasePathMapping", 1);
    own.hasOutput("ApiUrl", { Value: "https://api.example.com" });
    own.hasOutput("DomainTarget", {});
  });

  test("writes its log with a role that the account keeps when the stack goes", () => {
    template.hasResource("AWS::ApiGateway::Account", { DeletionPolicy: "Retain" });
  });
});

describe("A response that API Gateway generates", () => {
  const responses = ofType(template, "AWS::ApiGateway::GatewayResponse").map(({ Properties }) => Properties);
  const unknownRoute = [
    "DEFAULT_4XX",
    "ACCESS_DENIED",
    "EXPIRED_TOKEN",
    "INVALID_API_KEY",
    "INVALID_SIGNATURE",
    "MISSING_AUTHENTICATION_TOKEN",
    "RESOURCE_NOT_FOUND",
    "UNAUTHORIZED",
  ];
  const failure = ["DEFAULT_5XX", "API_CONFIGURATION_ERROR", "INTEGRATION_FAILURE", "INTEGRATION_TIMEOUT"];
  const expected = [
    ...unknownRoute.map((type) => ({ type, error: errors.noRoute })),
    { type: "REQUEST_TOO_LARGE", error: errors.bodyTooLarge },
    { type: "THROTTLED", error: errors.tooManyRequests },
    ...failure.map((type) => ({ type, error: errors.internalError })),
    { type: "WAF_FILTERED", error: errors.blocked },
  ];

  test("has the status and the message of the error catalogue, whatever its type", () => {
    expect(
      responses.map(({ ResponseType, StatusCode, ResponseTemplates }) => [
        ResponseType,
        StatusCode,
        ResponseTemplates,
      ]),
    ).toEqual(
      expected.map(({ type, error: { status, message } }) => [
        type,
        String(status),
        { "application/json": JSON.stringify({ message }) },
      ]),
    );
  });

  test("has the headers of every response, and an X-Request-Id that no caller can choose", () => {
    for (const { ResponseParameters } of responses) {
      expect(ResponseParameters).toMatchObject({
        "gatewayresponse.header.Cache-Control": "'no-store'",
        "gatewayresponse.header.X-Content-Type-Options": "'nosniff'",
        "gatewayresponse.header.X-Request-Id": "context.extendedRequestId",
      });
    }
  });

  test("has Retry-After: 1 if the rate limit was exceeded", () => {
    const retryAfter = responses.flatMap(({ ResponseType, ResponseParameters }) =>
      ResponseParameters["gatewayresponse.header.Retry-After"] === "'1'" ? [ResponseType] : [],
    );

    expect(retryAfter).toEqual(["THROTTLED"]);
  });
});

test("Whatever changes about the API is deployed anew: until then API Gateway serves what it was", () => {
  const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";
  const deploymentOf = (of: Template) => Object.keys(of.findResources("AWS::ApiGateway::Deployment"));

  const now = deploymentOf(template);
  const withDomain = deploymentOf(templateWith({ domain: "api.example.com", certificate }));
  const withOtherErrors = deploymentOf(templateWith({ keyRateLimit: "600" }));

  expect(now).toHaveLength(1);
  expect(withDomain).not.toEqual(now);
  expect(withOtherErrors).not.toEqual(now);
});
