/** An event stays in the two queues for at most 14 days, and after a redrive for at most another 14. */

/** After 7 days, SQS deletes an event that no function has received. */
export const queueDays = 7;
/** SQS deletes a dead letter 14 days after the event was sent. */
export const deadLetterDays = 14;
/** If an operator redrives a dead letter on its last day, it can stay for another 14 days. */
export const longestEventDays = 2 * deadLetterDays;

/**
 * Returns the seconds until the next retry. Many events arrive just before their message, so the first retries come
 * soon.
 *
 * @param receives how often the queue has delivered the event
 */
export const retrySeconds = (receives: number): number => Math.round(1.1 ** (receives - 1));

/** Estimates how often SQS delivers an event that keeps failing, within a given number of seconds. */
export const receivesWithin = (seconds: number): number => {
  let receives = 0;
  for (let waited = 0; waited < seconds; waited += retrySeconds(receives)) receives++;
  return receives;
};
