/** Conditional writes of one item. */
import { retryWrite } from "./retry.ts";

/** Makes the write and returns true. If the write's condition fails, returns false. */
export const succeeds = async (write: () => Promise<unknown>): Promise<boolean> => {
  try {
    await retryWrite(write);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
