/** The REST API, with one route per operation. Errors of API Gateway have the same format as errors of a function. */
import { Aws, Duration } from "aws-cdk-lib";
import {
  CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  type Method,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { LogGroup, type LogGroupProps } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import * as errors from "../../lib/http/error-catalogue.ts";
import type { Operation } from "../../lib/http/operations.ts";
import { accessLogFormat } from "./access-log.ts";
import { addGatewayErrors } from "./gateway-errors.ts";
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
  logs: LogGroupProps;
  tracing: boolean;
  /** Whether to set the role with which all APIs of the account in this region write their logs. */
  setsLogRole: boolean;
};

/**
 * The API accepts only TLS 1.2 and 1.3 with forward secrecy. API Gateway's default would accept TLS 1.0, too. In STRICT
 * mode, API Gateway rejects a request whose Host header differs from the server name of its TLS handshake.
 */
const transport = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

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
    const { stage, operations, domain, limits, logs } = props;
    this.accessLog = new LogGroup(this, "AccessLog", logs);

    this.restApi = new RestApi(this, "RestApi", {
      restApiName: `EmailApi-${stage}`,
      endpointTypes: [EndpointType.REGIONAL],
      // The role that writes the logs outlives the stack, because all APIs of an AWS account share it.
      cloudWatchRole: props.setsLogRole,
      deployOptions: {
        stageName: stage,
        throttlingRateLimit: limits.rateLimit,
        throttlingBurstLimit: limits.burstLimit,
        metricsEnabled: true, // Each operation's latency alarm needs metrics by route.
        loggingLevel: MethodLoggingLevel.ERROR, // why API Gateway failed, for errors that reach no function
        tracingEnabled: props.tracing,
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
    // API Gateway would create this log group itself, and keep its lines for ever.
    const executionLog = new LogGroup(this, "ExecutionLog", {
      ...logs,
      logGroupName: `API-Gateway-Execution-Logs_${this.restApi.restApiId}/${stage}`,
    });
    this.restApi.deploymentStage.node.addDependency(executionLog);
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
    addGatewayErrors(this.restApi, limits.keyRateLimit === undefined ? errors.blocked : errors.tooManyRequests);
    if (limits.keyRateLimit !== undefined) {
      const gatewayStage = this.restApi.deploymentStage;
      new KeyRateLimit(this, "KeyRateLimit", { gatewayStage, requestsPerMinute: limits.keyRateLimit });
    }

    const stageAddress = `${this.restApi.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${stage}`;
    this.url = `https://${domain ? domain.name : stageAddress}`;
    this.domainTarget = this.restApi.domainName?.domainNameAliasDomainName;
  }
}
