/** The names of the metrics of Record Events. The metrics' dimension `service` is {@link serviceName}. */
import type { Outcome } from "./event-record.ts";

export const serviceName = "RecordEvents";

/** `EventFailed` counts failed attempts, so an event that fails three times adds three. */
export const outcomeMetrics: Readonly<Record<Outcome | "failed", string>> = {
  recorded: "EventRecorded",
  repeated: "EventRepeated",
  expired: "EventExpired",
  failed: "EventFailed",
};
