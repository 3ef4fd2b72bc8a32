/** The floor of Get Message: the same calls and the decompression; no stack, and nothing is checked. */
import { pipeline, Readable, type Writable } from "node:stream";
import { pipeline as untilSent } from "node:stream/promises";
import { constants, createZstdDecompress, zstdDecompressSync } from "node:zlib";
import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { apiKeyKey, headSort, messagePartition, segmentSort, sha256 } from "../../../lib/table/keys.ts";
import { openTable } from "../../../lib/table/table.ts";

declare const awslambda: {
  streamifyResponse: (handler: (event: APIGatewayProxyEvent, stream: Writable) => Promise<void>) => never;
  HttpResponseStream: { from: (stream: Writable, prelude: object) => Writable };
};

const { client, name: TableName } = openTable();
const windowLimit = { params: { [constants.ZSTD_d_windowLogMax]: 27 } };

type Item = Record<string, unknown> & { bytes: Buffer };

const query = async (pk: string, from: string, Limit: number): Promise<Item[]> => {
  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: "pk = :pk AND sk >= :from",
      ExpressionAttributeValues: { ":pk": pk, ":from": from },
      Limit,
    }),
  );
  return Items as Item[];
};

export const handler = awslambda.streamifyResponse(async ({ headers, pathParameters }, stream) => {
  const { account_id = "", message_id = "" } = pathParameters ?? {};
  const pk = messagePartition(account_id, message_id);
  const secret = headers.Authorization?.slice("Bearer ".length) ?? "";
  const [, [head, ...firstPage]] = await Promise.all([
    client.send(new GetCommand({ TableName, Key: apiKeyKey(sha256(secret)), ConsistentRead: true })),
    query(pk, headSort, 2),
  ]);
  const {
    pk: _pk,
    sk: _sk,
    segments,
    digest: _digest,
    content_bytes: _contentBytes,
    content_digest,
    domain: _domain,
    expires_at: _,
    ...fields
  } = head as Item;
  const num_attempts = (fields.delivery_attempts as unknown[]).length;
  const opening = `${JSON.stringify({ object: "message", ...fields, num_attempts }).slice(0, -1)},`;

  const response = awslambda.HttpResponseStream.from(stream, {
    statusCode: 200,
    headers: { "Content-Type": "application/json" },
  });
  if (firstPage.length === segments) {
    const content = zstdDecompressSync(Buffer.concat(firstPage.map(({ bytes }) => bytes)), windowLimit);
    response.write(Buffer.concat([Buffer.from(opening), content])); // the prelude goes with a write only
    response.end();
    return;
  }
  response.write(opening);
  const pages = async function* () {
    let page = firstPage;
    for (let read = page.length; ; read += page.length) {
      const next =
        read < (segments as number) ? query(pk, segmentSort(content_digest as string, read), 3) : undefined;
      for (const { bytes } of page) yield bytes;
      if (!next) return;
      page = await next;
    }
  };
  await untilSent(
    pipeline(Readable.from(pages()), createZstdDecompress(windowLimit), () => {}),
    response,
  );
});
