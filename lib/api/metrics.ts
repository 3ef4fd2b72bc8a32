/** The operations' CloudWatch metrics. Their dimension `service` is the operation's id. */

/** The stack passes it to Powertools as `POWERTOOLS_METRICS_NAMESPACE`. */
export const metricNamespace = (stage: string): string => `EmailApi/${stage}`;

export const metricNames = {
  coldStart: "ColdStart",
  replay: "Replay",
  payloadMismatch: "PayloadMismatch",
  serverError: "ServerError",
} as const;
