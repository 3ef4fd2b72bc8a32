/** Metrics that CloudWatch Logs extracts from log lines. */
import { FilterPattern, type IFilterPattern } from "aws-cdk-lib/aws-logs";

/** A metric with one dimension. The log line contains the dimension's value in a field with the dimension's name. */
export type LogMetric = { name: string; lines: IFilterPattern; value: string; dimension: string };

/** The time to the first byte of a streamed response in milliseconds, per operation. Read from the function's log. */
export const timeToFirstByte: LogMetric = {
  name: "TimeToFirstByte",
  lines: FilterPattern.exists("$.time_to_first_byte_ms"),
  value: "$.time_to_first_byte_ms",
  dimension: "service",
};

/** The number of requests with status 401 or 429, per status. CloudWatch reads the status from the access log. */
export const rejections: LogMetric = {
  name: "Rejected",
  lines: FilterPattern.any(
    FilterPattern.stringValue("$.status", "=", "401"),
    FilterPattern.stringValue("$.status", "=", "429"),
  ),
  value: "1",
  dimension: "status",
};
