/** The CloudWatch metrics of the operations: their dimension `service` is the operation's id. */

export const metricNamespace = (stage: string): string => `EmailApi/${stage}`;

export const metricNames = {
  coldStart: "ColdStart",
  replay: "Replay",
  payloadMismatch: "PayloadMismatch",
  serverError: "ServerError",
} as const;
