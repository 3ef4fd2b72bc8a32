/** Creates the table in a local DynamoDB, with the keys, the index and the TTL of the deployed table. */
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { layout } from "../../lib/table/keys.ts";
import { toUserError } from "../cli/user-error.ts";
import { indexSchema, keyAttributes } from "../person/index-schema.ts";

/** Creates the table if it does not exist. Throws a UserError if an environment variable or DynamoDB is missing. */
export const createTable = async (TableName: string): Promise<void> => {
  const client = new DynamoDBClient({
    requestHandler: { connectionTimeout: 2000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        KeySchema: [
          { AttributeName: layout.partitionKey, KeyType: "HASH" },
          { AttributeName: layout.sortKey, KeyType: "RANGE" },
        ],
        AttributeDefinitions: keyAttributes,
        GlobalSecondaryIndexes: [indexSchema],
      }),
    );
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: layout.timeToLive, Enabled: true },
      }),
    );
  } catch (error) {
    if ((error as Error).name !== "ResourceInUseException") throw toUserError(error);
  } finally {
    client.destroy();
  }
};
