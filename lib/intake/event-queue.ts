/** The queue of events, for the function that receives them. */
import { ChangeMessageVisibilityBatchCommand, SQSClient } from "@aws-sdk/client-sqs";

/** A received event that the queue delivers again after so many seconds. */
export type Retry = { receiptHandle: string; seconds: number };

/** Sets the time of the next delivery of up to 10 events. @throws Error if the queue does not set all of them */
export type PostponeEvents = (retries: readonly Retry[]) => Promise<void>;

/**
 * Opens the queue.
 *
 * @param QueueUrl by default `EVENT_QUEUE_URL`
 * @throws Error if no URL is set
 */
export const openEventQueue = (QueueUrl = process.env.EVENT_QUEUE_URL): PostponeEvents => {
  if (!QueueUrl) throw new Error("EVENT_QUEUE_URL is not set: it names the queue of events");
  const client = new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, socketTimeout: 3000 },
  });
  return async (retries) => {
    const Entries = retries.map(({ receiptHandle, seconds }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }));
    const { Failed = [] } = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    if (Failed.length > 0) throw new Error(`The queue did not postpone ${Failed.length} events`);
  };
};
