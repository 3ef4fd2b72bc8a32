/** Points in time: ISO 8601, in the years that it can write with four digits. */

export const isInRange = (time: Date): boolean => /^\d{4}-/.test(time.toISOString());
