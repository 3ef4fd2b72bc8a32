/** Ends a command of the operator between two calls of DynamoDB. */
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { vi } from "vitest";

/** Runs `act` and lets every call after the first `calls` fail. Returns whether `act` got so far. */
export const cutAfter = async (calls: number, act: () => Promise<unknown>): Promise<boolean> => {
  const { send } = DynamoDBDocumentClient.prototype;
  let left = calls;
  const cut = vi.spyOn(DynamoDBDocumentClient.prototype, "send").mockImplementation(function (
    this: DynamoDBDocumentClient,
    ...call: unknown[]
  ) {
    if (left-- > 0) return Reflect.apply(send, this, call);
    return Promise.reject(new Error("power cut"));
  });
  await act();
  cut.mockRestore();
  return left < 0;
};
