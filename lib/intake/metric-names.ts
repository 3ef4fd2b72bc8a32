/** What becomes of events, by the name that CloudWatch counts it under; the dimension `service` is {@link serviceName}. */
import type { Outcome } from "./record-event.ts";

export const serviceName = "RecordEvents";

/** `EventFailed` counts tries: an event that fails comes again. */
export const outcomeMetrics: Readonly<Record<Outcome | "failed", string>> = {
  recorded: "EventRecorded",
  repeated: "EventRepeated",
  expired: "EventExpired",
  failed: "EventFailed",
};
