/** Reads raw emails from the intake's S3 bucket. */
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { RejectedError } from "../messages/rejected-error.ts";
import type { ReadEmail } from "./apply-stored.ts";

/** If the function lacks permission to list the bucket, a missing object causes AccessDenied. */
const missing = new Set(["NoSuchKey", "AccessDenied"]);

export const openEmailBucket = (Bucket = process.env.EMAIL_BUCKET): ReadEmail => {
  if (!Bucket) throw new Error("EMAIL_BUCKET is not set: it names the bucket of raw emails");
  const client = new S3Client({ maxAttempts: 3, requestHandler: { connectionTimeout: 1000, socketTimeout: 3000 } });
  return async (Key, accept) => {
    const getting = client.send(new GetObjectCommand({ Bucket, Key }));
    const { Body, ContentLength = 0 } = await getting.catch((error) => {
      throw missing.has(error.name) ? new RejectedError("its raw email is not in the bucket") : error;
    });
    if (!Body) throw new Error("S3 returned no body");
    try {
      accept(ContentLength);
    } catch (error) {
      if ("destroy" in Body) Body.destroy(); // Otherwise, we would still receive the whole email.
      throw error;
    }
    return Body.transformToByteArray();
  };
};
