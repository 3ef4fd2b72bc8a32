/** Prints the coding and the digest of each decoded response, with the fetch of Node.js. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const headers = { Authorization: `Bearer ${process.env.API_KEY}`, "Accept-Encoding": "zstd, br, gzip" };
for (const url of readFileSync(process.argv[2], "utf8").trim().split("\n")) {
  const response = await fetch(url, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  console.log(response.headers.get("content-encoding"), createHash("sha256").update(body).digest("hex"));
}
