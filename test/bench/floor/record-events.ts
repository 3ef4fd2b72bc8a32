/** The floor of RecordEvents: one TransactWriteItems for each open, without checks. */
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { eventKey, headKey, sha256 } from "../../../lib/table/keys.ts";
import { putIfAbsent, table } from "./calls.ts";

export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  for (const { body } of Records) {
    const { id, account_id, message } = JSON.parse(body);
    const count = {
      TableName: table.name,
      Key: headKey(account_id, message.id),
      UpdateExpression: "SET updated_at = :updated_at ADD open_count :one",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":one": 1, ":updated_at": new Date().toISOString() },
    };
    const record = { ...eventKey(account_id, id), digest: sha256(body), expires_at: Date.now() };
    const TransactItems = [{ Update: count }, putIfAbsent(record)];
    await table.client.send(new TransactWriteCommand({ TransactItems }));
  }
  return { batchItemFailures: [] };
};
