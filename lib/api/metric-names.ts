/** What the functions count, by the name that CloudWatch knows it by; the dimension `service` is the operation's id. */

/** Stages in one account count apart. The functions are told theirs as `POWERTOOLS_METRICS_NAMESPACE`. */
export const metricNamespace = (stage: string): string => `EmailApi/${stage}`;

export const metricNames = {
  coldStart: "ColdStart",
  replay: "Replay",
  payloadMismatch: "PayloadMismatch",
  serverError: "ServerError",
} as const;
