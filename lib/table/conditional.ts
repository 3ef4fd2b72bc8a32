/** A single write under a condition. */
import { retryWrite } from "./retry.ts";

/** Makes the write. Returns false when its condition does not hold, and then nothing has changed. */
export const succeeds = async (write: () => Promise<unknown>): Promise<boolean> => {
  try {
    await retryWrite(write);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
