/** Get Message with the SDK's own decoding of base64, to measure what decoding in place saves. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createHandler } from "../../../functions/get-message.ts";

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

export const handler = createHandler({ name: process.env.TABLE_NAME ?? "", client });
