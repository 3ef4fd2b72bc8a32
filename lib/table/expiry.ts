/**
 * DynamoDB deletes expired items hours or days late. We treat an expired item as absent at once: every read and every
 * condition compares `expires_at` with the clock.
 *
 *   written                expires_at                 TTL deletes it
 *   ├── live ──────────────┤── absent to every caller ┤
 */

export type Clock = () => number;

/** DynamoDB's TTL expects seconds, and never deletes an item whose `expires_at` is in milliseconds. */
export const epochSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

export const isLive = (item: { expires_at?: number | undefined } | undefined, now: number): boolean =>
  item !== undefined && (item.expires_at === undefined || item.expires_at > epochSeconds(now));

export const absent = "attribute_not_exists(pk)";

/** Needs {@link nowValue}. */
export const absentOrExpired = `${absent} OR expires_at <= :now`;

/** Without `attribute_exists(pk)`, an update would create a missing item. Needs {@link nowValue}. */
export const live = "attribute_exists(pk) AND (attribute_not_exists(expires_at) OR expires_at > :now)";

export const nowValue = (now: number): { ":now": number } => ({ ":now": epochSeconds(now) });
