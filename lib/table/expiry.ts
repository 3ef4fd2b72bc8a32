/**
 * Expiry of items. DynamoDB's TTL deletes an expired item hours or days late. Therefore, every read and every condition
 * compares `expires_at` with the current time, and treats an expired item as absent.
 *
 *   written                expires_at                 TTL deletes it
 *   ├── live ──────────────┤── absent to every caller ┤
 */

/** Returns the current time in milliseconds since the epoch, like `Date.now`. */
export type Clock = () => number;

/** Converts milliseconds to whole seconds, the unit of `expires_at`. */
export const epochSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

export const isLive = (item: { expires_at?: number | undefined } | undefined, now: number): boolean =>
  item !== undefined && (item.expires_at === undefined || item.expires_at > epochSeconds(now));

/** Condition for a put: the item does not exist. */
export const absent = "attribute_not_exists(pk)";

/** Condition for a put: the item does not exist, or has expired. Needs {@link nowValue}. */
export const absentOrExpired = `${absent} OR expires_at <= :now`;

/** Condition for an update: the item exists and has not expired. Needs {@link nowValue}. */
export const live = "attribute_exists(pk) AND (attribute_not_exists(expires_at) OR expires_at > :now)";

export const nowValue = (now: number): { ":now": number } => ({ ":now": epochSeconds(now) });
