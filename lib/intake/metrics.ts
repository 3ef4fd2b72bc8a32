/** The metrics of RecordEvents, for its log and for the dashboard. */
import type { Outcome } from "./event-record.ts";

export const serviceName = "RecordEvents";

/** An event that fails three times adds three to `EventFailed`. */
export const outcomeMetrics: Readonly<Record<Outcome | "failed", string>> = {
  recorded: "EventRecorded",
  repeated: "EventRepeated",
  expired: "EventExpired",
  failed: "EventFailed",
};
