/** Reads raw emails from the intake's S3 bucket. */
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { RejectedError } from "../messages/rejected-error.ts";
import type { ReadEmail } from "./apply-stored.ts";

/** If the function lacks permission to list the bucket, a missing object causes AccessDenied. */
const missing = new Set(["NoSuchKey", "AccessDenied"]);

/**
 * The longest time for one email, even if S3 sends a byte now and then, which no socket's timeout notices. 40 MiB take
 * about a second. The other events of the batch need the rest of the invocation's minute.
 */
const longestReadMs = 10_000;

export const openEmailBucket = (Bucket = process.env.EMAIL_BUCKET): ReadEmail => {
  if (!Bucket) throw new Error("EMAIL_BUCKET is not set: it names the bucket of raw emails");
  const client = new S3Client({ maxAttempts: 3, requestHandler: { connectionTimeout: 1000, socketTimeout: 3000 } });
  const read = async (Key: string, accept: (bytes: number) => void, abortSignal: AbortSignal) => {
    const getting = client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal });
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
  return async (key, accept) => {
    const signal = AbortSignal.timeout(longestReadMs);
    return read(key, accept, signal).catch((error) => {
      throw signal.aborted ? new DOMException("S3 was too slow", { name: "TimeoutError", cause: error }) : error;
    });
  };
};
