/** The CloudWatch metrics of the operations. Each metric has the operation's id as its dimension `service`. */

export const metricNamespace = (stage: string): string => `EmailApi/${stage}`;

export const metricNames = {
  coldStart: "ColdStart",
  replay: "Replay",
  payloadMismatch: "PayloadMismatch",
  serverError: "ServerError",
} as const;
