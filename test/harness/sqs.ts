/** Invokes a function with SQS events, in the format that AWS documents. */
import { randomUUID } from "node:crypto";
import type { Context, SQSBatchResponse, SQSEvent, SQSHandler } from "aws-lambda";

/** A message in a batch. */
export type Received = { messageId: string; body: string; receiveCount?: number };

const recordOf = ({ messageId, body, receiveCount = 1 }: Received): SQSEvent["Records"][number] => ({
  messageId,
  receiptHandle: `receipt of ${messageId}`,
  body,
  attributes: {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: "1545082649183",
    SenderId: "AIDAIENQZJOLO23YVJ4VO",
    ApproximateFirstReceiveTimestamp: "1545082649185",
  },
  messageAttributes: {},
  md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
  eventSource: "aws:sqs",
  eventSourceARN: "arn:aws:sqs:us-east-2:123456789012:my-queue",
  awsRegion: "us-east-2",
});

const context = (millisecondsLeft: () => number): Context => ({
  functionName: "RecordEvents",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:us-east-2:123456789012:function:RecordEvents",
  memoryLimitInMB: "1769",
  awsRequestId: randomUUID(),
  logGroupName: "/aws/lambda/RecordEvents",
  logStreamName: "local",
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: millisecondsLeft,
  done: () => {},
  fail: () => {},
  succeed: () => {},
});

/** Invokes the function with a batch. Returns the ids of the failed messages. */
export const deliver = async (
  handler: SQSHandler,
  messages: readonly Received[],
  millisecondsLeft = () => 120_000,
): Promise<string[]> => {
  const response = await handler({ Records: messages.map(recordOf) }, context(millisecondsLeft), () => {});
  const { batchItemFailures } = response as SQSBatchResponse;
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
};
