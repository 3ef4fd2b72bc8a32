/**
 * Add Account Member as a peer would write it on Powertools' idempotency utility, by its documentation: what
 * the operation does is in the handler, and the utility around it. In the peer's favour, nothing but the key
 * is checked and nothing is logged.
 */
import { randomUUID } from "node:crypto";
import { IdempotencyConfig } from "@aws-lambda-powertools/idempotency";
import { DynamoDBPersistenceLayer } from "@aws-lambda-powertools/idempotency/dynamodb";
import { makeHandlerIdempotent } from "@aws-lambda-powertools/idempotency/middleware";
import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { apiKeyKey, memberKey, sha256, userKey } from "../../../lib/table/keys.ts";
import { openTable } from "../../../lib/table/table.ts";

const { client, name: TableName } = openTable();

const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: process.env.IDEMPOTENCY_TABLE_NAME ?? "",
  clientConfig: {
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  },
});
const config = new IdempotencyConfig({
  eventKeyJmesPath: '[pathParameters.account_id, headers."Idempotency-Key"]',
  payloadValidationJmesPath: "body",
  expiresAfterSeconds: 24 * 60 * 60,
});

const authenticate: MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> = {
  before: async ({ event }) => {
    const secret = event.headers.Authorization?.slice("Bearer ".length) ?? "";
    const { Item: apiKey } = await client.send(
      new GetCommand({ TableName, Key: apiKeyKey(sha256(secret)), ConsistentRead: true }),
    );
    if (apiKey?.account_id !== event.pathParameters?.account_id) throw new Error("Invalid API key");
  },
};

const put = (Item: Record<string, unknown>) => ({
  Put: { TableName, Item, ConditionExpression: "attribute_not_exists(pk)" },
});

const addAccountMember = async ({
  pathParameters,
  body,
}: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const { account_id = "" } = pathParameters ?? {};
  const { email, role, name } = JSON.parse(body ?? "");
  const { Item: user } = await client.send(new GetCommand({ TableName, Key: userKey(email) }));
  const created_at = new Date().toISOString();
  const user_id = user?.id ?? randomUUID();
  const member = { id: randomUUID(), created_at, updated_at: created_at, user_id, account_id, role };
  await client.send(
    new TransactWriteCommand({
      TransactItems: [
        put({ ...memberKey(account_id, user_id), ...member, email, name }),
        ...(user ? [] : [put({ ...userKey(email), id: user_id, email, created_at })]),
      ],
      ClientRequestToken: randomUUID(),
    }),
  );
  return {
    statusCode: 201,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(member),
  };
};

export const handler = middy(addAccountMember)
  .use(authenticate)
  .use(makeHandlerIdempotent({ persistenceStore, config }));
