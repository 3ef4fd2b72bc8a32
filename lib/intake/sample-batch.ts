/** A batch with one event, for the warm-up of RecordEvents. */
import type { Context, SQSEvent, SQSHandler } from "aws-lambda";

const id = "00000000-0000-4000-8000-000000000000";

const event = { type: "message.opened", id: "sample", account_id: id, message: { id } };

const record = {
  messageId: "sample",
  body: JSON.stringify(event),
  attributes: { ApproximateReceiveCount: "1" },
};

/** Hands the batch to the handler. */
export const takeSampleBatch = async (handler: SQSHandler): Promise<void> => {
  const context = { awsRequestId: "sample", getRemainingTimeInMillis: () => 60_000 };
  await handler({ Records: [record] } as SQSEvent, context as Context, () => {});
};
