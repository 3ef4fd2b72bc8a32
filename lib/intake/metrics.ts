/** The metrics of RecordEvents, for its log and for the dashboard. */
import type { Outcome } from "./event-record.ts";

export const serviceName = "RecordEvents";

/** `EventFailed` counts attempts, so an event that fails three times adds three. */
export const outcomeMetrics: Readonly<Record<Outcome | "failed", string>> = {
  recorded: "EventRecorded",
  repeated: "EventRepeated",
  expired: "EventExpired",
  failed: "EventFailed",
};
