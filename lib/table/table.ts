/** The table: its name and a document client whose failures are bounded in time. */
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { decodedInPlace } from "./in-place-base64.ts";

type Logger = NonNullable<DynamoDBClientConfig["logger"]>;

/** Without `info`, for which the SDK would copy all that every call sends and receives. */
const silent = { trace: () => {}, debug: () => {}, warn: () => {}, error: () => {} } as unknown as Logger;

export type Table = {
  readonly name: string;
  readonly client: Pick<DynamoDBDocumentClient, "send">;
  /** How long a transaction that meets others is tried again, in milliseconds; 20,000 where it is not set. */
  readonly patience?: number;
};

/**
 * Opens the table that the environment names: `TABLE_NAME`, and the SDK's own variables for region,
 * credentials and endpoint (`AWS_ENDPOINT_URL_DYNAMODB`).
 *
 * A call that gets no answer within 3 seconds, or one that falls silent for as long, counts as failed, and is
 * tried three times in all: a caller hears about an unreachable table before API Gateway gives up on the function.
 *
 * @param silence another time than 3 seconds, in milliseconds
 * @throws Error when `TABLE_NAME` is not set.
 */
export const openTable = (environment: NodeJS.ProcessEnv = process.env, silence = 3000): Table => {
  const name = environment.TABLE_NAME;
  if (!name) throw new Error("TABLE_NAME is not set: it names the DynamoDB table");
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 1000,
      socketTimeout: silence, // before the answer or within it
    },
    logger: silent,
    ...decodedInPlace(),
  });
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
};
