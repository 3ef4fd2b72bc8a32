/** What comes back from DynamoDB, or from something between us and DynamoDB. */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { openTable } from "../../../lib/table/table.ts";
import { BrokenResponseError } from "../../../lib/table/whole-response.ts";
import { captureOutput } from "../../harness/captured-output.ts";
import { newCertificate } from "../../harness/certificate.ts";
import { type Fault, startFaultyEngine, startFaultyService } from "../../harness/faulty-engine.ts";
import { listen } from "../../harness/listen.ts";
import { bearer } from "../../harness/service.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const secret = "s3cret@example.com";
const item = (email: string) => `{"Item":{"email":${email}},"ConsumedCapacity":{"CapacityUnits":1}}`;

test.each<[string, Fault, number]>([
  ["is empty", { text: "" }, 503],
  ["is an empty object", { text: "{}" }, 503],
  ["is an error with status 200", { text: `{"__type":"ThrottlingException","message":"${secret}"}` }, 503],
  ["is a page", { text: `<html>${secret}` }, 503],
  ["is not an object", { text: `"${secret}"` }, 503],
  ["is null", { text: "null" }, 503],
  ["has a quotation mark too few", { text: item(`{"S":${secret}"}`) }, 503],
  ["has a value of an unknown type", { text: item(`{"${secret}":"x"}`) }, 503],
  ["has text for base64", { text: item(`{"B":"${secret}!"}`) }, 503],
  ["is an error that quotes a value", { error: "ValidationException", fields: { message: secret } }, 500],
])("A response that %s is no wrong key, and nothing of it is in the log", async (_, fault, expected) => {
  const output = captureOutput();
  const { engine, url, key } = await startFaultyService();
  engine.failWith(() => fault);

  const { status } = await fetch(`${url}/v2/accounts/${key.account_id}/members`, {
    method: "POST",
    headers: { ...bearer(key.secret), "Content-Type": "application/json" },
    body: '{"email":"ada@example.org","role":"Developer"}',
  });

  expect(status).toBe(expected);
  expect(await output.requests()).toMatchObject([{ level: "ERROR", status: expected }]);
  expect(output.text()).not.toContain("s3cret");
});

test("An error of the network keeps its words, such as that a certificate is not trusted", async () => {
  const { key, cert } = newCertificate(temporaryFolder());
  const untrusted = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
  const { client, name } = openTable({ endpoint: `https://127.0.0.1:${await listen(untrusted)}` });

  const get = client.send(new GetCommand({ TableName: name, Key: { pk: "a", sk: "b" } }));

  await expect(get).rejects.toThrow("self-signed certificate");
});

test("A write whose response is empty may not have happened", async () => {
  const { table, failWith } = await startFaultyEngine();
  failWith(() => ({ text: "{}" }));

  const put = table.client.send(new PutCommand({ TableName: table.name, Item: { pk: "a", sk: "b" } }));

  await expect(put).rejects.toThrow(BrokenResponseError);
});
