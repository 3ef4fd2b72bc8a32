/** How the AWS SDK's client is set up. */
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, test, vi } from "vitest";
import { loggableError, openTable } from "../../../lib/table/table.ts";

test("The SDK copies neither the input nor the output of a call for its logger", () => {
  const { client } = openTable();

  // With a method `info`, the SDK would make both copies for each call.
  expect(client).toHaveProperty("config.logger.warn");
  expect(client).not.toHaveProperty("config.logger.info");
});

test("A call waits a second for a connection, and three for a response that stalls", async () => {
  const { requestHandler } = (openTable().client as DynamoDBDocumentClient).config;

  const configured = await (requestHandler as unknown as { configProvider: Promise<object> }).configProvider;
  expect(configured).toMatchObject({ connectionTimeout: 1000, socketTimeout: 3000 });
});

test("A table remembers who can wait, for the retries that the SDK doesn't make", () => {
  expect(openTable({ canWait: true })).toHaveProperty("canWait", true);
  expect(openTable()).toHaveProperty("canWait", false);
});

test("Without the name of the table, there is an error that says so", () => {
  vi.stubEnv("TABLE_NAME", undefined);

  expect(() => openTable()).toThrow("TABLE_NAME is not set");
});

test("The log of an error that can quote a value says only where it was thrown, however many lines the value has", () => {
  const message = "1 of\nsecret\n    at secret\n\nlines";
  const error = Object.assign(new Error(message), { name: "ValidationException", Item: { secret: 1 } });

  const logged = loggableError(error);

  expect(Object.keys(logged)).toEqual(["name", "stack"]);
  expect(logged.stack).toMatch(/^\n {4}at .*table\.test\.ts/);
  expect(logged.stack).not.toMatch("secret");
});
