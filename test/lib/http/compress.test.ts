/** A response of more than 200 MB, which Lambda would cut off. Such a message would take too long to store. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { invoke } from "../../../infra/local/lambda.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { getMessage } from "../../../lib/http/operations.ts";
import { bearer, newKey, noon, table } from "../../harness/service.ts";

const most = 200_000_000 - 1000; // The limit includes the status and the headers.

test.each([
  [most, "identity", 200],
  [most + 1, "identity", 406],
  [most + 1, "", 406],
  [most + 1, "gzip;q=0", 406],
  [most + 1, "gzip", 200],
  [most + 1, "identity, br;q=0.1", 200],
])("%i bytes for Accept-Encoding %j have the response %i, and what is not sent is not read", async (...row) => {
  const [bytes, accept, status] = row;
  const body = Object.assign(Readable.from([Buffer.from("{}")]), { bytes });
  const { secret, account_id } = await newKey();
  const handler = endpoint({
    operation: getMessage,
    prefetch: async () => null,
    handle: () => ({ status: 200, body }),
  })(table, () => noon);
  const event = {
    headers: { ...bearer(secret), "Accept-Encoding": accept },
    pathParameters: { account_id, message_id: randomUUID() },
  };

  const response = await invoke(handler, event as unknown as APIGatewayProxyEvent);

  expect(response.statusCode).toBe(status);
  expect(response.headers.Vary).toBe("Accept-Encoding");
  await buffer(response.body as Readable);
  expect(body.destroyed).toBe(true);
});
