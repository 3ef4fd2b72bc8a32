/** A stored message in DynamoDB's JSON, for the warm-up of Get Message. */
import { zstdCompressSync } from "node:zlib";
import { headSort, segmentSort } from "../table/keys.ts";

const digest = "sample";

/** Returns a message's head and its only segment. */
export const sampleItems = (): object[] => {
  const content = '"content":"","content_parsed":{"parts":[],"attachments":[],"headers":{}}}';
  const head = {
    sk: { S: headSort },
    segments: { N: "1" },
    content_digest: { S: digest },
    content_bytes: { N: String(content.length) },
    delivery_attempts: { L: [] },
  };
  const bytes = { B: zstdCompressSync(content).toString("base64") };
  return [head, { sk: { S: segmentSort(digest, 0) }, bytes }];
};
