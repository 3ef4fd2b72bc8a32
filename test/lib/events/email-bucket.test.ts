import { Readable } from "node:stream";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { sdkStreamMixin } from "@smithy/core/serde";
import { mockClient } from "aws-sdk-client-mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { openEmailBucket } from "../../../lib/events/email-bucket.ts";

test("An email that is not accepted is not received any further", async () => {
  const body = Readable.from([Buffer.from("the first of 50 MB")]);
  const s3 = mockClient(S3Client);
  onTestFinished(() => s3.restore());
  s3.on(GetObjectCommand).resolves({ Body: sdkStreamMixin(body), ContentLength: 50_000_000 });

  const read = openEmailBucket("emails")("1.eml", (bytes) => {
    throw new Error(`${bytes} bytes are too many`);
  });

  await expect(read).rejects.toThrow("50000000 bytes are too many");
  expect(body.destroyed).toBe(true);
});

test("Only a missing email is rejected: any other error of S3 is its own", async () => {
  const s3 = mockClient(S3Client);
  onTestFinished(() => s3.restore());
  const slowDown = Object.assign(new Error("Please reduce your request rate"), { name: "SlowDown" });
  s3.on(GetObjectCommand).rejects(slowDown);

  await expect(openEmailBucket("emails")("1.eml", () => {})).rejects.toBe(slowDown);
});

test("Without the name of the bucket, there is an error that says so", () => {
  vi.stubEnv("EMAIL_BUCKET", undefined);

  expect(() => openEmailBucket()).toThrow("EMAIL_BUCKET is not set");
});
