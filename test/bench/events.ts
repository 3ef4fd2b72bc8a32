/** The events that API Gateway and SQS would send, with the fields that a function reads. */
import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, SQSEvent } from "aws-lambda";
import { each } from "./turns.ts";

export type Caller = { account_id: string; secret: string };

const event = ({ headers = {}, ...fields }: Partial<APIGatewayProxyEvent>): APIGatewayProxyEvent => {
  const multiValueHeaders = each(headers, (value) => [value]);
  const requestContext = { requestId: randomUUID() };
  return {
    headers,
    multiValueHeaders,
    body: null,
    isBase64Encoded: false,
    requestContext,
    ...fields,
  } as never;
};

type Options = { accept?: string; fields?: string };

export const getMessageEvent = (
  { account_id, secret }: Caller,
  message_id: string,
  { accept, fields }: Options = {},
): APIGatewayProxyEvent =>
  event({
    httpMethod: "GET",
    headers: { Authorization: `Bearer ${secret}`, ...(accept && { "Accept-Encoding": accept }) },
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
    httpMethod: "POST",
    headers: {
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      "Idempotency-Key": idempotencyKey,
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
