/** Tables whose calls a test can count, hold back, change or fail. */
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { vi } from "vitest";
import type { Table } from "../../lib/table/table.ts";

/** A command of the SDK, as a test reads it. */
export type Command = {
  readonly constructor: { readonly name: string };
  readonly input: Record<string, unknown>;
};

/** `proceed` sends the call to the real table. */
type Intercept = (command: Command, proceed: () => Promise<unknown>) => unknown;

/**
 * Returns the table with `intercept` around each call.
 *
 * @example
 * const failing = interceptedTable(table, (command, proceed) => {
 *   if (command.constructor.name === "PutCommand") throw new Error("The network failed");
 *   return proceed();
 * });
 */
export const interceptedTable = (table: Table, intercept: Intercept): Table => {
  const send = async (command: never, ...options: never[]) =>
    intercept(command, () => table.client.send(command, ...options) as Promise<unknown>);
  return { ...table, client: { send: send as never } };
};

/** Puts `intercept` around each call of every table, for commands that open one, until the test ends. */
export const interceptAll = (intercept: Intercept): { end: () => void } => {
  const { send } = DynamoDBDocumentClient.prototype;
  const spy = vi.spyOn(DynamoDBDocumentClient.prototype, "send");
  spy.mockImplementation(async function (this: DynamoDBDocumentClient, ...call: unknown[]) {
    return intercept(call[0] as Command, () => Reflect.apply(send, this, call) as Promise<unknown>);
  });
  return { end: () => spy.mockRestore() };
};

/** Lets every call fail after the first `calls` commands of this kind. */
export const powerCut = (kind: RegExp, calls: number) => {
  let left = calls;
  const intercept: Intercept = ({ constructor: { name } }, proceed) => {
    if (kind.test(name)) left--;
    if (left < 0) throw new Error("power cut");
    return proceed();
  };
  return { intercept, wasCut: () => left < 0 };
};

/**
 * Runs `act` and cuts it off after the first `writes` writes. A cut elsewhere leaves the table in the state of one of these
 * cuts. Returns whether `act` got so far.
 */
export const cutAfterWrites = async (writes: number, act: () => Promise<unknown>): Promise<boolean> => {
  const { intercept, wasCut } = powerCut(/^(Put|Update|Delete|TransactWrite)Command$/, writes);
  const { end } = interceptAll(intercept);
  await act();
  end();
  return wasCut();
};
