/** The functions under AWS's runtime client, behind the local gateway. */
import { readdir } from "node:fs/promises";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { afterAll } from "vitest";
import { gateway } from "../../infra/local/gateway.ts";
import { type LambdaHandler, streamifyResponse } from "../../infra/local/lambda.ts";
import { bundle } from "../../infra/stack/bundling.ts";
import { type Operation, operations } from "../../lib/http/operations.ts";
import { sendResponse } from "../../lib/http/send.ts";
import { listen } from "../harness/listen.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { type RunningFunction, startFunction } from "./runtime.ts";

/** Bundles a file as the stack does. */
export const bundleFolder = async (file: string): Promise<string> => {
  const folder = await temporaryFolder();
  bundle(file, folder);
  return folder;
};

/** Passes an event to the function's process, and its response to the gateway. */
const handlerOf = ({ streams }: Operation, { invoke }: RunningFunction): LambdaHandler => {
  if (!streams) {
    return async (event: APIGatewayProxyEvent) => {
      const { statusCode, headers, body } = await invoke(event);
      if (typeof body !== "string") throw new Error("A function that does not stream has streamed");
      return { statusCode, headers, body };
    };
  }
  return streamifyResponse(async (event: APIGatewayProxyEvent, stream, { getRemainingTimeInMillis }) => {
    await sendResponse(stream, await invoke(event), getRemainingTimeInMillis());
  });
};

/** Serves every operation until the end of the test file. `files` lists each folder before its function starts. */
export const serveFunctions = async (client: string, environment: Record<string, string>) => {
  const start = async (operation: Operation) => {
    const folder = await bundleFolder(operation.file);
    const files = await readdir(folder);
    const running = await startFunction(client, { folder, environment, timeoutMilliseconds: 120_000 });
    afterAll(running.stop);
    return { operation, folder, files, running };
  };
  const functions = await Promise.all(operations.map(start));
  const port = await listen(
    gateway(functions.map(({ operation, running }) => ({ operation, handler: handlerOf(operation, running) }))),
  );
  return { url: `http://127.0.0.1:${port}`, functions };
};
