/**
 * The lifetime of an event in the SQS queues.
 *
 *   sent          first failure                                7 days         14 days
 *   ├── received ──┤── retries, for about an hour ──┤── dead letter ─────────────┤ deleted
 *                                                   └── redriven: all of it once more
 */

/** The retention period of the event queue, after which SQS deletes an event that no function has received. */
export const queueDays = 7;
/** SQS deletes an event from the dead-letter queue 14 days after the event was sent to the event queue. */
export const deadLetterDays = 14;
/** The longest time for which SQS can keep an event. Redriving a dead letter starts a second retention period. */
export const longestEventDays = 2 * deadLetterDays;

const growth = 1.1;

/**
 * Returns the delay in seconds between a failed attempt and the next attempt. The delay is 1 s at first, and later it
 * is a tenth of the time since the first attempt. The first delays are short, because an event often arrives shortly
 * before its message is stored. Later delays are long to save Lambda invocations.
 *
 * @param receives how often the queue has delivered the event
 */
export const retrySeconds = (receives: number): number => Math.round(growth ** (receives - 1));

/** Returns approximately how often SQS delivers an event within `seconds` seconds if every attempt fails. */
export const receivesWithin = (seconds: number): number => {
  let receives = 0;
  for (let waited = 0; waited < seconds; waited += retrySeconds(receives)) receives++;
  return receives;
};
