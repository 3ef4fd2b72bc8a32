/** Writes a log line and metrics for each request. We never log a secret, an address, a subject or content. */
import { Logger } from "@aws-lambda-powertools/logger";
import { injectLambdaContext } from "@aws-lambda-powertools/logger/middleware";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { loggableError } from "../table/table.ts";
import { uptimeMs } from "../time/clock.ts";
import { toApiError } from "./errors.ts";
import { metricNames } from "./metrics.ts";
import type { Operation } from "./operations.ts";
import type { ApiMiddleware, RequestLog } from "./request.ts";
import type { ProxyResult } from "./response.ts";
import type { Sent } from "./send.ts";

export const observe = (operation: Operation) => {
  const logger = new Logger({ serviceName: operation.id });
  const metrics = new Metrics({ serviceName: operation.id });
  const count = (name: string): unknown => metrics.addMetric(name, MetricUnit.Count, 1);

  const middleware: ApiMiddleware = {
    after: ({ context, response }) => {
      if (typeof response?.body !== "object") return;
      response.body.once("error", (error) => {
        context.request.requestLog.fault = error;
      });
    },
    onError: ({ context, error }) => {
      if (error && toApiError(error).status >= 500) context.request.requestLog.fault = error;
    },
  };

  const logRequest = (log: RequestLog, { statusCode, headers }: Omit<ProxyResult, "body">, sent?: Sent): void => {
    metrics.captureColdStartMetric(); // The caller of a streamed response doesn't wait for metrics.
    if (headers?.["Idempotent-Replayed"]) count(metricNames.replay);
    if (statusCode === 422) count(metricNames.payloadMismatch);
    if (log.fault) count(metricNames.serverError);
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    logger[log.fault ? "error" : "info"]("request", {
      request_id: log.requestId,
      gateway_request_id: log.gatewayRequestId,
      operation: operation.id,
      query: log.query,
      message_uuid: log.messageUuid,
      account_id: log.apiKey?.account_id,
      key_id: log.apiKey?.id,
      status: statusCode,
      duration_ms: Math.round((uptimeMs() - log.startedAt) * 100) / 100,
      consumed_capacity: log.consumedCapacity,
      // The time to the first byte includes a cold start, but does not depend on how fast the caller reads.
      time_to_first_byte_ms: sent?.firstByteAt && log.receivedAt && sent.firstByteAt - log.receivedAt,
      slow_reader: sent?.isReaderSlow || undefined,
      ...(log.fault && { error: loggableError(log.fault) }),
    });
  };

  return { middlewares: [injectLambdaContext(logger), middleware], logRequest };
};
