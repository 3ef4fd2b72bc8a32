/** The names of the metrics of Record Events. Their dimension `service` is {@link serviceName}. */
import type { Outcome } from "./record-event.ts";

export const serviceName = "RecordEvents";

/** `EventFailed` counts attempts, so an event that is retried counts several times. */
export const outcomeMetrics: Readonly<Record<Outcome | "failed", string>> = {
  recorded: "EventRecorded",
  repeated: "EventRepeated",
  expired: "EventExpired",
  failed: "EventFailed",
};
