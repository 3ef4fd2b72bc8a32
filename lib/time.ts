/** A day, and a clock that nobody sets. */
export const dayMilliseconds = 24 * 60 * 60 * 1000;
export const daySeconds = dayMilliseconds / 1000;

/** Milliseconds since the process started. `performance.now` would do, but loading it slows down cold starts. */
export const uptimeMs = (): number => process.uptime() * 1000;
