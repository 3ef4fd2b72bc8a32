/** The length of a day, and a clock for durations. */
export const dayMilliseconds = 24 * 60 * 60 * 1000;
export const daySeconds = dayMilliseconds / 1000;

/** Returns the milliseconds since the process started. Loading `performance` would slow down cold starts. */
export const uptimeMs = (): number => process.uptime() * 1000;
