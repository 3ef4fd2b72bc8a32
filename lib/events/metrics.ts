/** The metrics of the function RecordEvents. */
import type { Outcome } from "./outcome.ts";

export const serviceName = "RecordEvents";

/** `EventFailed` counts attempts, so an event that fails three times adds three. */
export const outcomeMetrics: Readonly<Record<Outcome | "failed", string>> = {
  recorded: "EventRecorded",
  repeated: "EventRepeated",
  expired: "EventExpired",
  failed: "EventFailed",
};
