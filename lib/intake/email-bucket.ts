/** The bucket that raw emails are put into, for the function that takes events from the queue. */
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { rejectTooLarge } from "../messages/store-message.ts";
import { EventRejectedError } from "./event.ts";
import type { ReadEmail } from "./record-event.ts";

/** Whoever may not list a bucket hears of an object that is not there that they may not read it. */
const missing = new Set(["NoSuchKey", "AccessDenied"]);

/**
 * Opens the bucket that `EMAIL_BUCKET` names. It is asked for no more of an object than its size, where that is more
 * than is kept.
 *
 * @throws Error when `EMAIL_BUCKET` is not set.
 */
export const openEmailBucket = (environment: NodeJS.ProcessEnv = process.env): ReadEmail => {
  const Bucket = environment.EMAIL_BUCKET;
  if (!Bucket) throw new Error("EMAIL_BUCKET is not set: it names the bucket of raw emails");
  const client = new S3Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, socketTimeout: 10_000 },
  });
  return async (Key) => {
    try {
      const { Body, ContentLength = 0 } = await client.send(new GetObjectCommand({ Bucket, Key }));
      if (!Body) throw new Error("S3 returned no body");
      try {
        rejectTooLarge(ContentLength);
      } catch (error) {
        if ("destroy" in Body) Body.destroy();
        throw error;
      }
      return await Body.transformToByteArray();
    } catch (error) {
      if (!missing.has((error as Error).name)) throw error;
      throw new EventRejectedError("its raw email is not in the bucket");
    }
  };
};
