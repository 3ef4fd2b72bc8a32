/** An event is in one of the two SQS queues for 28 days at most. */

/** After 7 days, SQS deletes an event that no function has received. */
export const queueDays = 7;
/** SQS counts a dead letter's 14 days from the time at which the event was sent. */
export const deadLetterDays = 14;
/** An operator may redrive a dead letter on its last day, and then SQS keeps it for another 14 days. */
export const longestEventDays = 2 * deadLetterDays;

/**
 * Returns the seconds until the next attempt. An event often arrives just before its message, so the first retries come
 * soon.
 *
 * @param receives how often the queue has delivered the event
 */
export const retrySeconds = (receives: number): number => Math.round(1.1 ** (receives - 1));

/** Estimates how often SQS delivers an event within some seconds if every attempt fails. */
export const receivesWithin = (seconds: number): number => {
  let receives = 0;
  for (let waited = 0; waited < seconds; waited += retrySeconds(receives)) receives++;
  return receives;
};
