/** The REST API: a route for each operation, and API Gateway's own errors in the API's shape. */
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
import * as errors from "../lib/api/error-catalogue.ts";
import type { Operation } from "../lib/api/operations.ts";
import { commonHeaders, requestIdHeader } from "../lib/api/response.ts";
import { accessLogFormat } from "./access-log.ts";
import { KeyRateLimit } from "./key-rate-limit.ts";
import type { OperationFunction } from "./operation-function.ts";
import type { Settings } from "./settings.ts";

/** An operation and the function that serves it. */
export type ServedOperation = { operation: Operation; handler: OperationFunction };

/** An operation's method in API Gateway, and the function behind it. */
export type Route = ServedOperation & { method: Method };

export type ApiProps = {
  stage: string;
  operations: readonly ServedOperation[];
  /** The API's own domain name and the ARN of its certificate; without them, API Gateway's address. */
  domain?: { name: string; certificate: string } | undefined;
  limits: Pick<Settings, "rateLimit" | "burstLimit" | "keyRateLimit">;
  logRetention: RetentionDays;
  removalPolicy: RemovalPolicy;
};

/**
 * TLS 1.2 or 1.3, with forward secrecy, and only for the host that the handshake names. API Gateway's own
 * default accepts TLS 1.0. A domain has the same: its handshakes follow the policy of the API behind it.
 */
const transport = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/**
 * The error of each response that API Gateway generates. API Gateway treats an unknown route as a request without a
 * valid signature. No operation uses API Gateway's own authorization, so each of these types means an unknown route.
 * AWS documents that the status of a `DEFAULT_` type replaces the status of every other type. An emulator with
 * measured behaviour contradicts this. Naming all types that can occur leads to the same responses in both cases.
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
  {
    error: errors.internalError,
    types: [
      ResponseType.DEFAULT_5XX,
      ResponseType.API_CONFIGURATION_ERROR,
      ResponseType.INTEGRATION_FAILURE,
      ResponseType.INTEGRATION_TIMEOUT,
    ],
  },
];

/** The API, its stage and its access log; a regional one, because 5 minutes without a byte may pass there. */
export class Api extends Construct {
  readonly restApi: RestApi;
  readonly accessLog: LogGroup;
  readonly routes: readonly Route[];
  /** Where the paths of the operations begin; without a slash at the end. */
  readonly url: string;
  /** What the domain's CNAME record points at, where the API has a domain. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const { stage, operations, domain, limits, logRetention, removalPolicy } = props;
    this.accessLog = new LogGroup(this, "AccessLog", { retention: logRetention, removalPolicy });

    this.restApi = new RestApi(this, "RestApi", {
      restApiName: `EmailApi-${stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      // API Gateway writes no log in an account until it has a role for it. The role is the account's, not
      // the stack's: it outlives the stack, or other APIs' logs would end with it.
      cloudWatchRole: true,
      deployOptions: {
        stageName: stage,
        throttlingRateLimit: limits.rateLimit,
        throttlingBurstLimit: limits.burstLimit,
        metricsEnabled: true, // by route: the latency of one says nothing about the other's
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
      },
      ...(domain && {
        domainName: {
          domainName: domain.name,
          certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificate),
          ...transport,
        },
        disableExecuteApiEndpoint: true, // the domain is the only way in
      }),
    });
    const { defaultChild } = this.restApi.node;
    if (CfnRestApi.isCfnRestApi(defaultChild)) Object.assign(defaultChild, transport); // no prop of RestApi
    this.restApi.node.tryRemoveChild("Endpoint"); // an output of its own; the stack has a better one

    this.routes = operations.map(({ operation, handler }) => ({
      operation,
      handler,
      method: this.restApi.root.resourceForPath(operation.path).addMethod(
        operation.method,
        new LambdaIntegration(handler.lambda, {
          responseTransferMode: operation.streams
            ? ResponseTransferMode.STREAM
            : ResponseTransferMode.BUFFERED,
          timeout: handler.timeout.plus(Duration.seconds(1)), // the function is the first to give up
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

  /** The stack's own web ACL, or room for the account's: a stage has one. */
  private addWebAcl(requestsPerMinute: number | undefined) {
    if (requestsPerMinute === undefined) {
      this.addGatewayResponse(ResponseType.WAF_FILTERED, errors.blocked);
      Validations.of(this.restApi).acknowledge({
        id: "AwsSolutions-APIG3",
        reason: "A web ACL is the account's own; one can be associated with the stage at any time.",
      });
    } else {
      this.addGatewayResponse(ResponseType.WAF_FILTERED, errors.tooManyRequests);
      const gatewayStage = this.restApi.deploymentStage;
      new KeyRateLimit(this, "KeyRateLimit", { gatewayStage, requestsPerMinute });
    }
  }

  private addGatewayResponse(type: ResponseType, { status, message, headers }: errors.ErrorResponse) {
    const { "Content-Type": contentType, ...common } = commonHeaders;
    // API Gateway reads a value in quotes as a constant, and any other value as the name of a parameter.
    const constants = Object.entries({ ...common, ...headers }).map(([name, value]) => [name, `'${value}'`]);
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
        reason: "The functions validate: their messages name the field, and come after the caller's key.",
      },
      {
        id: "AwsSolutions-APIG4",
        reason: "Bearer API keys are checked by the functions, beside the read that they need anyway.",
      },
      { id: "AwsSolutions-COG4", reason: "Callers are programs with API keys, not users who sign in." },
      {
        id: "AwsSolutions-APIG6",
        reason: "Execution logs hold headers, so keys. The access log and the functions' logs say the rest.",
      },
      {
        id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
        reason: "API Gateway's account-wide logging role: AWS documents this policy and no narrower one.",
      },
    );
  }
}
