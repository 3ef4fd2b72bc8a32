/** Turns a stored message into what the page shows. */
import type { StoredAttempt } from "../../lib/messages/attempt.ts";
import type { Head } from "../../lib/messages/head.ts";
import { headFields } from "../../lib/messages/read/head-fields.ts";
import { toMilliseconds } from "../../lib/time/timestamp.ts";
import type { DeskMessage } from "./served.ts";

/** @param attempts of a row, only the first and the last ones */
export const deskMessageOf = (head: Head, attempts: readonly StoredAttempt[]): DeskMessage => {
  const [statusTime] = head.status_by?.split("#") ?? [];
  return {
    ...headFields({ head, attempts }),
    num_attempts: Math.max(head.num_attempts, attempts.length),
    status_time: statusTime ? toMilliseconds(statusTime) : null,
  } as unknown as DeskMessage;
};
