/** The names of the operations' CloudWatch metrics. In each metric, the dimension `service` is the operation's id. */

/** Returns the namespace of a stage's metrics. Powertools reads the namespace from `POWERTOOLS_METRICS_NAMESPACE`. */
export const metricNamespace = (stage: string): string => `EmailApi/${stage}`;

export const metricNames = {
  coldStart: "ColdStart",
  replay: "Replay",
  payloadMismatch: "PayloadMismatch",
  serverError: "ServerError",
} as const;
