/** Get Message with one page of content under way, to tell what several are worth across a network. */
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createHandler } from "../../functions/get-message.ts";
import { openTable, type Table } from "../../lib/table/table.ts";

/** Every Query of the table waits until the one before it has been answered. */
const oneQueryAtATime = (table: Table): Table => {
  if (!(table.client instanceof DynamoDBDocumentClient)) throw new Error("The client is not the SDK's");
  let answered = Promise.resolve();
  table.client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        if (commandName !== "QueryCommand") return next(call);
        const before = answered;
        const { promise, resolve } = Promise.withResolvers<void>();
        answered = promise;
        await before;
        return next(call).finally(resolve);
      },
    { step: "initialize" },
  );
  return table;
};

export const handler = createHandler(oneQueryAtATime(openTable()));
