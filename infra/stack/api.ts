/** The REST API, with one route per operation. Errors of API Gateway have the same format as errors of a function. */
import { Aws, Duration, type RemovalPolicy, Validations } from "aws-cdk-lib";
import {
  CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  type Method,
  ResponseTransferMode,
  ResponseType,
  RestApi,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import * as errors from "../../lib/http/error-catalogue.ts";
import type { Operation } from "../../lib/http/operations.ts";
import { commonHeaders, requestIdHeader } from "../../lib/http/response.ts";
import { accessLogFormat } from "./access-log.ts";
import { KeyRateLimit } from "./key-rate-limit.ts";
import type { OperationFunction } from "./operation-function.ts";
import type { Settings } from "./settings.ts";

export type ServedOperation = { operation: Operation; handler: OperationFunction };

export type Route = ServedOperation & { method: Method };

export type ApiProps = {
  stage: string;
  operations: readonly ServedOperation[];
  /** The API's domain name and the ARN of its certificate. Without a custom domain, API Gateway assigns a URL. */
  domain?: { name: string; certificate: string } | undefined;
  limits: Pick<Settings, "rateLimit" | "burstLimit" | "keyRateLimit">;
  logRetention: RetentionDays;
  removalPolicy: RemovalPolicy;
};

/**
 * The API accepts only TLS 1.2 and 1.3 with forward secrecy. API Gateway's default would accept TLS 1.0, too. In STRICT
 * mode, API Gateway rejects a request whose Host header differs from the server name of its TLS handshake.
 */
const transport = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/**
 * The errors that API Gateway sends without calling a function. API Gateway responds to an unknown route with an
 * authorization error instead of a 404. No route uses API Gateway's authorization, so its authorization errors mean
 * that the route is unknown.
 *
 * API Gateway reportedly sends INTEGRATION_FAILURE when Lambda throttles a function. Callers may always retry after
 * this error, because an operation writes either everything or nothing.
 *
 * DEFAULT_4XX and DEFAULT_5XX would cover some of these error types on AWS, but not in the emulator that our tests use.
 */
const gatewayErrors: readonly { error: errors.ErrorResponse; types: readonly ResponseType[] }[] = [
  {
    error: errors.noRoute,
    types: [
      ResponseType.DEFAULT_4XX,
      ResponseType.ACCESS_DENIED,
      ResponseType.EXPIRED_TOKEN,
      ResponseType.INVALID_API_KEY,
      ResponseType.INVALID_SIGNATURE,
      ResponseType.MISSING_AUTHENTICATION_TOKEN,
      ResponseType.RESOURCE_NOT_FOUND,
      ResponseType.UNAUTHORIZED,
    ],
  },
  { error: errors.bodyTooLarge, types: [ResponseType.REQUEST_TOO_LARGE] },
  { error: errors.tooManyRequests, types: [ResponseType.THROTTLED] },
  { error: errors.unavailable, types: [ResponseType.INTEGRATION_FAILURE] },
  {
    error: errors.internalError,
    types: [ResponseType.DEFAULT_5XX, ResponseType.API_CONFIGURATION_ERROR, ResponseType.INTEGRATION_TIMEOUT],
  },
];

/** A regional API closes a stream after 5 idle minutes, but an edge-optimized one after 30 seconds. */
export class Api extends Construct {
  readonly restApi: RestApi;
  readonly accessLog: LogGroup;
  readonly routes: readonly Route[];
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** The target for the CNAME record of the API's own domain, if it has one. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const { stage, operations, domain, limits, logRetention, removalPolicy } = props;
    this.accessLog = new LogGroup(this, "AccessLog", { retention: logRetention, removalPolicy });

    this.restApi = new RestApi(this, "RestApi", {
      restApiName: `EmailApi-${stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      // The role that writes the logs outlives the stack, because all APIs of an AWS account share it.
      cloudWatchRole: true,
      deployOptions: {
        stageName: stage,
        throttlingRateLimit: limits.rateLimit,
        throttlingBurstLimit: limits.burstLimit,
        metricsEnabled: true, // Each operation's latency alarm needs metrics by route.
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
      },
      ...(domain && {
        domainName: {
          domainName: domain.name,
          certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificate),
          ...transport,
        },
        disableExecuteApiEndpoint: true, // A caller must not bypass the domain.
      }),
    });
    const { defaultChild } = this.restApi.node;
    if (CfnRestApi.isCfnRestApi(defaultChild)) Object.assign(defaultChild, transport); // RestApi has no props for TLS.
    this.restApi.node.tryRemoveChild("Endpoint"); // The stack's output ApiUrl replaces CDK's output Endpoint.

    this.routes = operations.map(({ operation, handler }) => ({
      operation,
      handler,
      method: this.restApi.root.resourceForPath(operation.path).addMethod(
        operation.method,
        new LambdaIntegration(handler.lambda, {
          responseTransferMode: operation.streams ? ResponseTransferMode.STREAM : ResponseTransferMode.BUFFERED,
          timeout: handler.timeout.plus(Duration.seconds(1)), // longer than Lambda's, so that Lambda logs it
          allowTestInvoke: false,
        }),
      ),
    }));
    for (const { error, types } of gatewayErrors) {
      for (const type of types) this.addGatewayResponse(type, error);
    }
    this.addWebAcl(limits.keyRateLimit);
    this.acknowledgeRules();

    const stageAddress = `${this.restApi.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stage}`;
    this.url = `https://${domain ? domain.name : stageAddress}`;
    this.domainTarget = this.restApi.domainName?.domainNameAliasDomainName;
  }

  /** API Gateway allows only one web ACL per stage, so operators can use their own only if they turn ours off. */
  private addWebAcl(requestsPerMinute: number | undefined) {
    if (requestsPerMinute === undefined) {
      this.addGatewayResponse(ResponseType.WAF_FILTERED, errors.blocked);
      Validations.of(this.restApi).acknowledge({
        id: "AwsSolutions-APIG3",
        reason: "Operators can associate a web ACL of their own with the stage at any time.",
      });
    } else {
      this.addGatewayResponse(ResponseType.WAF_FILTERED, errors.tooManyRequests);
      const gatewayStage = this.restApi.deploymentStage;
      new KeyRateLimit(this, "KeyRateLimit", { gatewayStage, requestsPerMinute });
    }
  }

  private addGatewayResponse(type: ResponseType, { status, message, headers }: errors.ErrorResponse) {
    const { "Content-Type": contentType, ...common } = commonHeaders;
    // Without single quotes, API Gateway would take a header's value for the name of a parameter. Our functions pick
    // one of several values of Retry-After at random; API Gateway can't, so it always sends the first.
    const constants = Object.entries({ ...common, ...headers }).map(([name, value]) => [
      name,
      `'${[value].flat()[0]}'`,
    ]);
    this.restApi.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: { ...Object.fromEntries(constants), [requestIdHeader]: "context.extendedRequestId" },
      templates: { [contentType]: JSON.stringify({ message }) },
    });
  }

  private acknowledgeRules() {
    Validations.of(this.restApi).acknowledge(
      {
        id: "AwsSolutions-APIG2",
        reason: "The functions validate requests after they check the API key. Their errors name the field.",
      },
      {
        id: "AwsSolutions-APIG4",
        reason: "The functions check the bearer API key while they read the data.",
      },
      { id: "AwsSolutions-COG4", reason: "Callers are programs with API keys, not users with a sign-in." },
      {
        id: "AwsSolutions-APIG6",
        reason: "Execution logs contain headers, and so API keys. The access log and the functions' logs suffice.",
      },
      {
        id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
        reason: "AWS documents this policy for API Gateway's logging role, and no narrower policy.",
      },
    );
  }
}
