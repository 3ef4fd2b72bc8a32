/** Decides for each field of a message's status which of several events is the newest. */
import { type Head, type StatusField, statusFields } from "../head.ts";

/** `time` has nine digits of a second's fraction: see `toNanoseconds`. */
export type StatusChange = { event_id: string; time: string } & { [Field in StatusField]?: string | undefined };

export type Decision = { field: StatusField; value: string; by: string };

/** Events of the same time are ordered by their ids, so the order of arrival doesn't matter. */
const byOf = ({ time, event_id }: StatusChange): string => `${time}#${event_id}`;

/** For each field, finds the newest event that has it, unless the head has a newer one. */
export const decisionsOf = (statuses: readonly StatusChange[], head: Partial<Head>): Decision[] =>
  statusFields.flatMap((field) => {
    const changes = statuses.flatMap((change) => {
      const value = change[field];
      return value === undefined ? [] : { field, value, by: byOf(change) };
    });
    const [newest] = changes.sort((a, b) => (a.by > b.by ? -1 : 1));
    return newest && newest.by > (head[`${field}_by`] ?? "") ? newest : [];
  });
