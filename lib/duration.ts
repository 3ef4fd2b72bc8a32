/** A day, in the two units that the service counts time in. */
export const dayMilliseconds = 24 * 60 * 60 * 1000;
export const daySeconds = dayMilliseconds / 1000;
