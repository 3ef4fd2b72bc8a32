export const dayMilliseconds = 24 * 60 * 60 * 1000;
export const daySeconds = dayMilliseconds / 1000;

/** A monotonic clock in milliseconds. We avoid `performance.now`, because loading it slows down cold starts. */
export const uptimeMs = (): number => process.uptime() * 1000;
