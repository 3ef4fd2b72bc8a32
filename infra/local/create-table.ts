/** Creates the table on a local engine, from the layout that the stack deploys. */
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { layout } from "../../lib/table/keys.ts";
import { SetupError } from "./engine.ts";

const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ECONNRESET",
]);

/** What the user can mend of what they told the SDK, in one line; anything else is a fault. */
const explain = (error: Error & { code?: string }): Error => {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "";
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
    return new SetupError(
      `AWS_ENDPOINT_URL_DYNAMODB takes a URL such as http://127.0.0.1:8000, not ${endpoint}`,
    );
  if (unreachable.has(error.code ?? "") || error.name === "TimeoutError")
    return new SetupError(`No DynamoDB answers at ${endpoint}, which AWS_ENDPOINT_URL_DYNAMODB names`);
  if (/^Region (is missing|not accepted)/.test(error.message))
    return new SetupError("AWS_ENDPOINT_URL_DYNAMODB needs AWS_REGION too: any does for DynamoDB Local");
  if (error.name === "CredentialsProviderError")
    return new SetupError(
      "AWS_ENDPOINT_URL_DYNAMODB needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY too: any do for DynamoDB Local",
    );
  if ("$fault" in error)
    return new SetupError(`${endpoint} does not serve the table: ${error.message || error.name}`);
  return error;
};

/**
 * Creates the table that `TABLE_NAME` names where the SDK's environment points, unless it is there.
 *
 * @throws SetupError when there is no DynamoDB, or it is not told all that the SDK needs
 */
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
    if ((error as Error).name !== "ResourceInUseException") throw explain(error as Error);
  } finally {
    client.destroy();
  }
};
