/** The events that API Gateway and SQS would send, with the fields that a function reads. */
import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, SQSEvent } from "aws-lambda";

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

type Options = { accept?: string; fields?: string };

export const getMessageEvent = (
  { account_id, secret }: Caller,
  message_id: string,
  { accept, fields }: Options = {},
): APIGatewayProxyEvent =>
  event({
    resource: "/v2/accounts/{account_id}/messages/{message_id}",
    path: `/v2/accounts/${account_id}/messages/${message_id}`,
    httpMethod: "GET",
    headers: {
      Authorization: `Bearer ${secret}`,
      Accept: "application/json",
      Host: "api.example.com",
      ...(accept && { "Accept-Encoding": accept }),
    },
    pathParameters: { account_id, message_id },
    ...(fields && {
      queryStringParameters: { fields },
      multiValueQueryStringParameters: { fields: [fields] },
    }),
  });

/** By default, adds a new user with a new idempotency key. */
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

/** A batch of the queue with one event. */
export const recordEventsEvent = (fields: object): SQSEvent => {
  const record = {
    messageId: randomUUID(),
    receiptHandle: "",
    body: JSON.stringify({ id: randomUUID(), ...fields }),
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: String(Date.now()) },
  };
  return { Records: [record] } as unknown as SQSEvent;
};
