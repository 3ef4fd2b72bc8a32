/** The names of the functions' metrics in CloudWatch. The dimension `service` is the id of the operation. */

/** Returns the namespace of a stage. Powertools reads it from `POWERTOOLS_METRICS_NAMESPACE`. */
export const metricNamespace = (stage: string): string => `EmailApi/${stage}`;

export const metricNames = {
  coldStart: "ColdStart",
  replay: "Replay",
  payloadMismatch: "PayloadMismatch",
  serverError: "ServerError",
} as const;
