import type * as z from "zod/mini";

/** Thrown for a message or an event that can never be stored. The text is logged, so it must not quote values. */
export class RejectedError extends Error {
  override readonly name = "RejectedError";
}

/** @throws RejectedError that names every wrong field */
export const validate = <Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new RejectedError(faults.join("; "));
};
