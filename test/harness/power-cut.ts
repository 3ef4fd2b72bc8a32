/** Ends a command of the operator between two calls of DynamoDB. */
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { vi } from "vitest";

const isWrite = (name: string): boolean => /^(Put|Update|Delete|TransactWrite)Command$/.test(name);

/**
 * Runs `act` and lets every call after the first `writes` writes fail. A cut elsewhere leaves the table in the state of
 * one of these cuts. Returns whether `act` got so far.
 */
export const cutAfterWrites = async (writes: number, act: () => Promise<unknown>): Promise<boolean> => {
  const { send } = DynamoDBDocumentClient.prototype;
  let left = writes;
  const cut = vi.spyOn(DynamoDBDocumentClient.prototype, "send").mockImplementation(function (
    this: DynamoDBDocumentClient,
    ...call: unknown[]
  ) {
    const [command] = call;
    if (isWrite(command?.constructor.name ?? "")) left--;
    return left < 0 ? Promise.reject(new Error("power cut")) : Reflect.apply(send, this, call);
  });
  await act();
  cut.mockRestore();
  return left < 0;
};
