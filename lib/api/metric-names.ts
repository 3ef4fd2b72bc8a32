/** What the functions count, by the name that CloudWatch knows it by; the dimension `service` is the operation's id. */
export const metricNamespace = "EmailApi";

export const metricNames = {
  coldStart: "ColdStart",
  replay: "Replay",
  payloadMismatch: "PayloadMismatch",
  serverError: "ServerError",
} as const;
