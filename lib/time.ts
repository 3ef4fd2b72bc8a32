/** The length of a day, and a monotonic clock. */
export const dayMilliseconds = 24 * 60 * 60 * 1000;
export const daySeconds = dayMilliseconds / 1000;

/** Milliseconds since the process started. We avoid `performance.now`, because loading it slows down cold starts. */
export const uptimeMs = (): number => process.uptime() * 1000;
