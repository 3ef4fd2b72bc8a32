/** The limit of 200 MB for a response. `npm test` leaves these tests out, because they take 10 s of processor time. */
import { expect, test } from "vitest";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../harness/service.ts";

const MiB = 1024 * 1024;

/** Stores control characters. In JSON, each takes six bytes in content, and six in content_parsed. Returns a reader. */
const storeControlCharacters = async (bytes: number) => {
  const url = await startService();
  const { secret, account_id } = await newKey();
  const message = newMessage({ account_id });
  await storeMessage(table, message, Buffer.alloc(bytes, "\u0001").fill("\n", 0, 1), noon);
  return async (encoding: string) => {
    const headers = { ...bearer(secret), "Accept-Encoding": encoding };
    const response = await call(`${url}/v2/accounts/${account_id}/messages/${message.id}`, { headers });
    return { response, status: response.status, coding: response.headers.get("content-encoding") };
  };
};

test("A message with more than 200 MB of JSON is compressed if the caller accepts any coding, otherwise it is a 406", async () => {
  const get = await storeControlCharacters(17 * MiB);

  const rejected = await Promise.all(["identity", "deflate", "identity, zstd;q=0"].map(get));
  const sent = await Promise.all(["gzip", "identity, br;q=0.1", "*"].map(get));

  expect(rejected.map(({ status }) => status)).toEqual([406, 406, 406]);
  expect(await rejected[0]?.response.json()).toEqual({
    message: "The message is larger than the 200 MB that a response may have: accept zstd, br or gzip",
  });
  expect(sent.map(({ status, coding }) => `${status} ${coding}`)).toEqual(["200 gzip", "200 br", "200 gzip"]);
  await Promise.all(sent.map(({ response }) => response.body?.cancel()));
});

test("A message with less than 200 MB of JSON is not compressed if the caller asks for identity", async () => {
  const get = await storeControlCharacters(15 * MiB);

  const { response, status, coding } = await get("identity");

  expect({ status, coding }).toEqual({ status: 200, coding: null });
  await response.body?.cancel();
});
