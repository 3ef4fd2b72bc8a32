/** The functions under AWS's runtime client, behind this machine's API Gateway. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { bundle } from "../../infra/bundling.ts";
import { gateway } from "../../infra/local/gateway.ts";
import { type LambdaHandler, streamifyResponse } from "../../infra/local/lambda.ts";
import { type Operation, operations } from "../../lib/api/operations.ts";
import { sendResponse } from "../../lib/api/stream-response.ts";
import { type RunningFunction, startFunction } from "./runtime.ts";

/** Bundles a file as the stack does, into a folder of its own that can't be written to, until this process ends. */
export const bundleFolder = (file: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-bundle-"));
  bundle(file, folder);
  chmodSync(folder, 0o555);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** What the gateway calls: hands the event to the function's process, and its response on. */
const handlerOf = ({ streams }: Operation, { invoke }: RunningFunction): LambdaHandler => {
  if (!streams) {
    return async (event: APIGatewayProxyEvent) => {
      const { statusCode, headers, body } = await invoke(event);
      if (typeof body !== "string") throw new Error("A function that does not stream has streamed");
      return { statusCode, headers, body };
    };
  }
  return streamifyResponse(async (event: APIGatewayProxyEvent, stream, context) => {
    await sendResponse(stream, await invoke(event), context.getRemainingTimeInMillis());
  });
};

export type ServedFunctions = {
  url: string;
  /** With what their folders held before they ran. */
  functions: { operation: Operation; folder: string; files: string[]; running: RunningFunction }[];
  stop: () => Promise<void>;
};

/** @param environment what both functions are told: the table, and where it is */
export const serveFunctions = async (
  client: string,
  environment: Record<string, string>,
): Promise<ServedFunctions> => {
  const functions = await Promise.all(
    operations.map(async (operation) => {
      const folder = bundleFolder(operation.file);
      const files = readdirSync(folder);
      const running = await startFunction(client, { folder, environment, timeoutMilliseconds: 120_000 });
      return { operation, folder, files, running };
    }),
  );
  const server = gateway(
    functions.map(({ operation, running }) => ({ operation, handler: handlerOf(operation, running) })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    functions,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      for (const { running } of functions) await running.stop();
    },
  };
};
