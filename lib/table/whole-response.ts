/**
 * Rejects a response that is not DynamoDB's, or not all of it. A lost item would look like a key that doesn't exist, and
 * the errors of JSON parsers quote the item, so the log would contain it.
 */
import { type DynamoDBClient, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { isUnavailable } from "./retry.ts";

export class BrokenResponseError extends Error {
  override readonly name = "BrokenResponseError";
  /** The SDK retries the call, and after the last attempt the caller gets a 503. */
  readonly $retryable = {};
}

const isReported = (error: unknown): boolean => error instanceof DynamoDBServiceException || isUnavailable(error);

/** Reads and writes of items. Others, such as CreateTable, report no consumed capacity. */
const isOfItems = (name: string | undefined): boolean => /^(Query|Scan)Command$|ItemS?Command$/i.test(name ?? "");

/** We ask for the consumed capacity with each call, so a response without it is empty, or an error with status 200. */
export const expectWholeResponses = ({ middlewareStack }: DynamoDBClient): void => {
  middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (!isOfItems(commandName)) return next(args);
        return next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } as typeof args.input });
      },
    { step: "initialize", name: "askForCapacity" },
  );
  /** Errors from before the first byte of a response. Their texts tell about the network, such as a wrong certificate. */
  const unanswered = new WeakSet<object>();
  middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error) => {
        unanswered.add(error);
        throw error;
      }),
    { step: "deserialize", priority: "low", name: "noteUnanswered" },
  );
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args).catch((error) => {
          throw unanswered.has(error) || isReported(error) ? error : new BrokenResponseError("It can't be parsed");
        });
        // MiniStack reports no consumed capacity of a BatchGetItem, but no other body has `Responses`.
        const isWhole = ["ConsumedCapacity", "Responses"].some((name) => name in Object(result.output));
        if (!isOfItems(commandName) || isWhole) return result;
        throw new BrokenResponseError("It has no consumed capacity");
      },
    { step: "deserialize", priority: "high", name: "expectWholeResponse" },
  );
};
