/**
 * How long an event lives.
 *
 *   sent          first failure                                7 days         14 days
 *   ├── received ──┤── retries, for about an hour ──┤── dead letter ─────────────┤ deleted
 *                                                   └── redriven: all of it once more
 */

/** The queue deletes an event that nobody received for so many days after it was sent. */
export const queueDays = 7;
/** The dead-letter queue deletes an event so many days after it was sent. */
export const deadLetterDays = 14;
/** The longest life of an event. A redriven dead letter starts a second life. */
export const longestEventDays = 2 * deadLetterDays;

const growth = 1.1;

/**
 * Returns the seconds from a failed attempt to the next one: 1 s at first, 10 s after about 100 s, 6 minutes after an
 * hour. The wait is about a tenth of the time since the first attempt, so an event that arrived before its message
 * is recorded soon after the message, and an event that keeps failing takes little from the others.
 *
 * @param receives how often the queue has delivered the event
 */
export const retrySeconds = (receives: number): number => Math.round(growth ** (receives - 1));

/** Returns how often the queue delivers an event that keeps failing, within about so many seconds. */
export const receivesWithin = (seconds: number): number => {
  let receives = 0;
  for (let waited = 0; waited < seconds; waited += retrySeconds(receives)) receives++;
  return receives;
};

/** The queue turns an event into a dead letter after so many failed attempts, which take about an hour. */
export const maxReceiveCount = receivesWithin(60 * 60);
