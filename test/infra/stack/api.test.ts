/** The REST API, as the template has it. */
import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import * as errors from "../../../lib/http/error-catalogue.ts";
import { addAccountMember, getMessage, operations } from "../../../lib/http/operations.ts";
import {
  follow,
  functionOf,
  ofType,
  type Reference,
  synthesise,
  templateWith,
  withoutBundles,
} from "../../harness/synthesise.ts";

const template = templateWith();

const pathOf = (of: Template, reference: Reference): string => {
  const { Type, Properties } = follow(of, reference);
  return Type === "AWS::ApiGateway::Resource" ? `${pathOf(of, Properties.ParentId)}/${Properties.PathPart}` : "";
};

const methodsOf = (of: Template) =>
  new Map(
    ofType(of, "AWS::ApiGateway::Method").map(({ Properties }) => [
      `${Properties.HttpMethod} ${pathOf(of, Properties.ResourceId)}`,
      Properties,
    ]),
  );

describe("The routes", () => {
  test("are those of the table of operations, and no others", () => {
    expect([...methodsOf(template).keys()]).toEqual(operations.map(({ method, path }) => `${method} ${path}`));
  });

  test("change with the table of operations, and may share a path", () => {
    const path = "/v3/accounts/{account_id}/mail";
    const list = { ...getMessage, path };
    const remove = { ...addAccountMember, method: "DELETE", path } as const;

    const { template: changed } = synthesise(withoutBundles, [list, remove]);

    expect([...methodsOf(changed).keys()]).toEqual([`GET ${path}`, `DELETE ${path}`]);
    changed.hasResourceProperties("AWS::Lambda::Function", { Description: `DELETE ${path}` });
  });

  test.each(operations)(
    "let $id's function time out first: after 5 minutes if it streams, else after 28 s",
    (operation) => {
      const Integration = methodsOf(template).get(`${operation.method} ${operation.path}`)?.Integration;
      const seconds = operation.streams ? 300 : 28;

      expect(functionOf(template, operation).Properties.Timeout).toBe(seconds);
      expect(Integration).toMatchObject({
        Type: "AWS_PROXY",
        ResponseTransferMode: operation.streams ? "STREAM" : "BUFFERED",
        TimeoutInMillis: (seconds + 1) * 1000,
      });
      expect(JSON.stringify(Integration.Uri)).toContain(
        operation.streams ? "/response-streaming-invocations" : "/invocations",
      );
    },
  );
});

describe("The API", () => {
  test.each([
    [{}, 100, 200],
    [{ rateLimit: "1000", burstLimit: "2000" }, 1000, 2000],
  ])("with %j, accepts %i requests per second and %i at once for each method", (settings, rate, burst) => {
    const method = {
      HttpMethod: "*",
      ResourcePath: "/*",
      MetricsEnabled: true,
      DataTraceEnabled: false,
      LoggingLevel: "ERROR",
    };

    templateWith(settings).hasResourceProperties("AWS::ApiGateway::Stage", {
      StageName: "prod",
      MethodSettings: [{ ...method, ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }],
    });
  });

  test("is regional, requires TLS 1.2, and has API Gateway's address without a domain", () => {
    template.hasResourceProperties("AWS::ApiGateway::RestApi", {
      EndpointConfiguration: { Types: ["REGIONAL"] },
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
      EndpointAccessMode: "STRICT",
      DisableExecuteApiEndpoint: Match.absent(),
    });
    const { Value } = template.toJSON().Outputs.ApiUrl;
    const url = Value["Fn::Join"][1].map((part: string | { Ref: string }) =>
      typeof part === "string" ? part : part.Ref,
    );
    expect(url.join("")).toMatch(/^https:\/\/ApiRestApi\w+\.execute-api\.AWS::Region\.AWS::URLSuffix\/prod$/);
  });

  test("responds only at its domain, if it has one", () => {
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

  test("writes its log with a role that outlives the stack, unless the account has one", () => {
    template.hasResource("AWS::ApiGateway::Account", { DeletionPolicy: "Retain" });
    templateWith({ gatewayLogRole: "false" }).resourceCountIs("AWS::ApiGateway::Account", 0);
  });

  test("creates the group of its execution log first, so that its lines are not kept for ever", () => {
    const [id] = Object.entries(template.findResources("AWS::Logs::LogGroup"))
      .filter(([, { Properties }]) => JSON.stringify(Properties.LogGroupName)?.includes("API-Gateway-Execution-Logs_"))
      .map(([name]) => name);

    template.hasResource("AWS::ApiGateway::Stage", { DependsOn: Match.arrayWith([id]) });
  });
});

describe("A response that API Gateway generates", () => {
  const responses = ofType(template, "AWS::ApiGateway::GatewayResponse").map(({ Properties }) => Properties);
  const unknownRoute =
    "DEFAULT_4XX ACCESS_DENIED EXPIRED_TOKEN INVALID_API_KEY INVALID_SIGNATURE MISSING_AUTHENTICATION_TOKEN " +
    "RESOURCE_NOT_FOUND UNAUTHORIZED";
  const failure = "DEFAULT_5XX API_CONFIGURATION_ERROR INTEGRATION_TIMEOUT";
  const withError = (types: string, error: errors.ErrorResponse) =>
    types
      .split(" ")
      .map((type) => [type, String(error.status), { "application/json": JSON.stringify({ message: error.message }) }]);

  test("has the status and the message of the error catalogue, whatever its type", () => {
    expect(
      responses.map(({ ResponseType, StatusCode, ResponseTemplates }) => [ResponseType, StatusCode, ResponseTemplates]),
    ).toEqual([
      ...withError(unknownRoute, errors.noRoute),
      ...withError("REQUEST_TOO_LARGE", errors.bodyTooLarge),
      ...withError("THROTTLED", errors.tooManyRequests),
      ...withError("INTEGRATION_FAILURE", errors.unavailable),
      ...withError(failure, errors.internalError),
      ...withError("WAF_FILTERED", errors.blocked),
    ]);
  });

  test("has the headers of every response, an id that no caller can choose, and Retry-After if a retry is safe", () => {
    for (const { ResponseType, ResponseParameters } of responses) {
      expect(ResponseParameters).toEqual({
        "gatewayresponse.header.Cache-Control": "'no-store'",
        "gatewayresponse.header.X-Content-Type-Options": "'nosniff'",
        "gatewayresponse.header.X-Request-Id": "context.extendedRequestId",
        ...(/^(THROTTLED|INTEGRATION_FAILURE)$/.test(ResponseType) && {
          "gatewayresponse.header.Retry-After": "'1'",
        }),
      });
    }
  });
});

test("Every change of the API creates a new deployment, because API Gateway serves only deployed changes", () => {
  const certificate = "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d";
  const deploymentOf = (of: Template) => Object.keys(of.findResources("AWS::ApiGateway::Deployment"));

  const now = deploymentOf(template);
  const withDomain = deploymentOf(templateWith({ domain: "api.example.com", certificate }));
  const withOtherErrors = deploymentOf(templateWith({ keyRateLimit: "600" }));

  expect(now).toHaveLength(1);
  expect(withDomain).not.toEqual(now);
  expect(withOtherErrors).not.toEqual(now);
});
