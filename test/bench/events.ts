/** The events that API Gateway's proxy integration would send, as far as a function reads them. */
import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";

export type Caller = { account_id: string; secret: string };

const event = (fields: Partial<APIGatewayProxyEvent>): APIGatewayProxyEvent =>
  ({
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID() },
    ...fields,
  }) as APIGatewayProxyEvent;

export const getMessageEvent = ({ account_id, secret }: Caller, message_id: string): APIGatewayProxyEvent =>
  event({
    resource: "/v2/accounts/{account_id}/messages/{message_id}",
    path: `/v2/accounts/${account_id}/messages/${message_id}`,
    httpMethod: "GET",
    headers: { Authorization: `Bearer ${secret}`, Accept: "application/json", Host: "api.example.com" },
    pathParameters: { account_id, message_id },
  });

/** A user whom no one has added yet, under a key that no one has used yet, unless they are given. */
export const addAccountMemberEvent = (
  { account_id, secret }: Caller,
  email = `${randomUUID()}@example.com`,
  idempotencyKey: string = randomUUID(),
): APIGatewayProxyEvent =>
  event({
    resource: "/v2/accounts/{account_id}/members",
    path: `/v2/accounts/${account_id}/members`,
    httpMethod: "POST",
    headers: {
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      "Idempotency-Key": idempotencyKey,
      Host: "api.example.com",
    },
    pathParameters: { account_id },
    body: JSON.stringify({ email, role: "Developer", name: "Ada Lovelace" }),
  });
