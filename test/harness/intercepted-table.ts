/** A table whose calls a test can count, hold back, change or fail. */
import type { Table } from "../../lib/table/table.ts";

/** A command of the SDK, as a test reads it. */
export type Command = {
  readonly constructor: { readonly name: string };
  readonly input: Record<string, unknown>;
};

/**
 * Returns the table with `intercept` around each call. `proceed` sends the call to the real table.
 *
 * @example
 * const failing = interceptedTable(table, (command, proceed) => {
 *   if (command.constructor.name === "PutCommand") throw new Error("The network failed");
 *   return proceed();
 * });
 */
export const interceptedTable = (
  table: Table,
  intercept: (command: Command, proceed: () => Promise<unknown>) => unknown,
): Table => {
  const send = async (command: never, ...options: never[]) =>
    intercept(command, () => table.client.send(command, ...options) as Promise<unknown>);
  return { ...table, client: { send: send as never } };
};
