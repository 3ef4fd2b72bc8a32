/** Creates the table on a local engine, from the layout that the stack deploys. */
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { layout } from "../../lib/table/keys.ts";

/** Creates the table that `TABLE_NAME` names where the SDK's environment points, unless it is there. */
export const createTable = async (TableName: string): Promise<void> => {
  const client = new DynamoDBClient();
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        KeySchema: [
          { AttributeName: layout.partitionKey, KeyType: "HASH" },
          { AttributeName: layout.sortKey, KeyType: "RANGE" },
        ],
        AttributeDefinitions: [
          { AttributeName: layout.partitionKey, AttributeType: "S" },
          { AttributeName: layout.sortKey, AttributeType: "S" },
        ],
      }),
    );
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: layout.timeToLive, Enabled: true },
      }),
    );
  } catch (error) {
    if ((error as Error).name !== "ResourceInUseException") throw error;
  } finally {
    client.destroy();
  }
};
