/** Tells the SQS queue when to deliver a failed event again. */
import { ChangeMessageVisibilityBatchCommand, SQSClient } from "@aws-sdk/client-sqs";

/** Sets the visibility timeouts of up to 10 events, or throws an Error if SQS rejects one of them. */
export type PostponeEvents = (retries: readonly { receiptHandle: string; seconds: number }[]) => Promise<void>;

/** Less than what a batch leaves of the function's time. Without it, SQS delivers the events a little later. */
const longestCallMs = 4000;

export const openEventQueue = (QueueUrl = process.env.EVENT_QUEUE_URL): PostponeEvents => {
  if (!QueueUrl) throw new Error("EVENT_QUEUE_URL is not set: it names the queue of events");
  const client = new SQSClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1000, socketTimeout: 3000 } });
  return async (retries) => {
    const Entries = retries.map(({ receiptHandle, seconds }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }));
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
    const { Failed = [] } = await client.send(command, { abortSignal: AbortSignal.timeout(longestCallMs) });
    if (Failed.length > 0) throw new Error(`The queue did not postpone ${Failed.length} events`);
  };
};
