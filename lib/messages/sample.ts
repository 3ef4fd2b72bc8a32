/** A stored message for the warm-up of Get Message. */
import { zstdCompressSync } from "node:zlib";
import { headSort, segmentSort } from "../table/keys.ts";

const content = zstdCompressSync(`"content":"${"x".repeat(1000)}","content_parsed":null}`);

/** The two items of the stored message, in the JSON format of DynamoDB's API. */
export const sampleItems = [
  { sk: { S: headSort }, segments: { N: "1" }, content_digest: { S: "" }, delivery_attempts: { L: [] } },
  { sk: { S: segmentSort("", 0) }, bytes: { B: content.toString("base64") } },
];
