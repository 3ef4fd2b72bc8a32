/**
 * When an item ends. DynamoDB's TTL counts whole epoch seconds and deletes hours to days late, so every
 * read and every condition compares the time itself and treats what has expired as absent.
 *
 *   written                expires_at                 TTL deletes it
 *   ├── live ──────────────┤── absent to every caller ┤
 */

/** Milliseconds since the epoch: `Date.now`, or a test's own. */
export type Clock = () => number;

/** Epoch seconds, a fraction cut off: what the table's TTL attribute holds. */
export const epochSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

export const isLive = (item: { expires_at?: number } | undefined, now: number): boolean =>
  item !== undefined && (item.expires_at === undefined || item.expires_at > epochSeconds(now));

/** The item may be put: nothing is there, expired or not. */
export const absent = "attribute_not_exists(pk)";
const expired = "expires_at <= :now";

/** The item may be put: nothing is there, or only what has expired. Takes {@link nowValue}. */
export const absentOrExpired = `${absent} OR ${expired}`;

/** The item may be changed: it is there, and has not expired. Takes {@link nowValue}. */
export const live = "attribute_exists(pk) AND (attribute_not_exists(expires_at) OR expires_at > :now)";

export const nowValue = (now: number): { ":now": number } => ({ ":now": epochSeconds(now) });
