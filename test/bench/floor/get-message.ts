/** The floor of Get Message: the calls and the decompression, on the SDK's default client. */
import { pipeline, Readable, type Writable } from "node:stream";
import { pipeline as untilSent } from "node:stream/promises";
import { constants, createZstdDecompress, zstdDecompressSync } from "node:zlib";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Table } from "../../../lib/table/table.ts";
import { readMessage } from "./read-message.ts";

declare const awslambda: {
  streamifyResponse: (handler: (event: APIGatewayProxyEvent, stream: Writable) => Promise<void>) => never;
  HttpResponseStream: { from: (stream: Writable, prelude: object) => Writable };
};

const windowLimit = { params: { [constants.ZSTD_d_windowLogMax]: 27 } };
const prelude = { statusCode: 200, headers: { "Content-Type": "application/json" } };

export const createHandler = (table: Table) =>
  awslambda.streamifyResponse(async (event, stream) => {
    const { opening, whole, pages } = await readMessage(table, event);
    const response = awslambda.HttpResponseStream.from(stream, prelude);
    if (event.headers["Accept-Encoding"] === "zstd") {
      response.write(opening);
      return untilSent(Readable.from(pages()), response);
    }
    if (whole) {
      const content = zstdDecompressSync(whole, windowLimit);
      response.write(Buffer.concat([Buffer.from(opening), content])); // the prelude is sent with the first write
      response.end();
      return;
    }
    response.write(opening);
    await untilSent(
      pipeline(Readable.from(pages()), createZstdDecompress(windowLimit), () => {}),
      response,
    );
  });

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

export const handler = createHandler({ name: process.env.TABLE_NAME ?? "", client });
