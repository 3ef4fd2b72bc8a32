/** Stores the same email in each request, as `storeMessage` does it. */
import type { APIGatewayProxyEvent } from "aws-lambda";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { openTable } from "../../../lib/table/table.ts";
import { newEmail } from "../email.ts";
import { newMessage } from "../message.ts";

const table = openTable();
const raw = newEmail(Number(process.env.EMAIL_BYTES));

export const handler = async ({ pathParameters }: APIGatewayProxyEvent) => {
  await storeMessage(table, newMessage(pathParameters?.account_id ?? ""), raw, Date.now());
  return { statusCode: 200, body: "" };
};
