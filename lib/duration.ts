/** The length of a day in milliseconds and in seconds. */
export const dayMilliseconds = 24 * 60 * 60 * 1000;
export const daySeconds = dayMilliseconds / 1000;
