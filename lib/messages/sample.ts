/** A made-up message for the warm-up of Get Message. */
import { zstdCompressSync } from "node:zlib";
import { headSort, segmentSort } from "../table/keys.ts";

const json = `"content":"${"x".repeat(1000)}","content_parsed":null}`;

export const sampleItems = [
  {
    sk: { S: headSort },
    delivery_attempts: { L: [] },
    segments: { N: "1" },
    content_bytes: { N: String(json.length) },
    content_start: { N: "0" },
    content_digest: { S: "" },
  },
  { sk: { S: segmentSort("", 0) }, bytes: { B: zstdCompressSync(json).toString("base64") } },
];
