/**
 * The peer of Add Account Member, on Powertools' idempotency utility as its documentation shows. In the peer's favour,
 * it checks only the key and logs nothing.
 */
import { randomUUID } from "node:crypto";
import { IdempotencyConfig } from "@aws-lambda-powertools/idempotency";
import { DynamoDBPersistenceLayer } from "@aws-lambda-powertools/idempotency/dynamodb";
import { makeHandlerIdempotent } from "@aws-lambda-powertools/idempotency/middleware";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { addMember, findApiKey, findUser, json, table } from "../floor/calls.ts";

const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: table.name,
  keyAttr: "pk",
  sortKeyAttr: "sk",
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
    const apiKey = await findApiKey(event);
    if (apiKey?.account_id !== event.pathParameters?.account_id) throw new Error("Invalid API key");
  },
};

const addAccountMember = async ({ pathParameters, body }: APIGatewayProxyEvent) => {
  const fields = JSON.parse(body ?? "");
  const user = await findUser(fields.email);
  const { member, writes } = addMember(pathParameters?.account_id ?? "", fields, user);
  await table.client.send(new TransactWriteCommand({ TransactItems: writes, ClientRequestToken: randomUUID() }));
  return json(201, JSON.stringify(member));
};

export const handler = middy(addAccountMember)
  .use(authenticate)
  .use(makeHandlerIdempotent({ persistenceStore, config }));
