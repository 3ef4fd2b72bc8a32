/** The length of a day, and a clock for durations. */
export const dayMilliseconds = 24 * 60 * 60 * 1000;
export const daySeconds = dayMilliseconds / 1000;

/** Returns the milliseconds since the process started. `performance.now` would add 2% to the time of a cold start. */
export const uptimeMs = (): number => process.uptime() * 1000;
