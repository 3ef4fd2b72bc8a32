/** Lambda's Runtime API (version 2018-06-01), from which the runtime client of one function receives its events. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { HttpResponse } from "../../infra/local/lambda.ts";
import { startServer } from "../bench/local-server.ts";
import { functionError, readStreamed } from "./runtime-upload.ts";

type Invocation = {
  id: string;
  event: unknown;
  deadline: number;
  settle: PromiseWithResolvers<HttpResponse>;
};

export type RuntimeApi = {
  /** The value of `AWS_LAMBDA_RUNTIME_API`. */
  address: string;
  /** Resolves when the client asks for the first event, after the function's code has loaded. */
  initialised: Promise<void>;
  /** @param deadline the time at which Lambda would end the function, in milliseconds since the epoch */
  invoke: (event: unknown, deadline: number) => Promise<HttpResponse>;
  /** Rejects every pending invocation, because the function's process has ended. */
  fail: (error: Error) => void;
  stop: () => void;
};

export const startRuntimeApi = async (functionArn: string): Promise<RuntimeApi> => {
  const initialised = Promise.withResolvers<void>();
  const underWay = new Map<string, Invocation>();
  const queue: Invocation[] = [];
  let waiting: ServerResponse | undefined;

  const handOut = (): void => {
    const invocation = waiting && queue.shift();
    if (!waiting || !invocation) return;
    waiting.writeHead(200, {
      "Content-Type": "application/json",
      "Lambda-Runtime-Aws-Request-Id": invocation.id,
      "Lambda-Runtime-Deadline-Ms": String(invocation.deadline),
      "Lambda-Runtime-Invoked-Function-Arn": functionArn,
      "Lambda-Runtime-Trace-Id": "Root=1-00000000-000000000000000000000000;Sampled=0",
    });
    waiting.end(JSON.stringify(invocation.event));
    waiting = undefined;
  };

  const respond = async (invocation: Invocation, request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    if (request.headers["lambda-runtime-function-response-mode"] === "streaming") {
      invocation.settle.resolve(await readStreamed(request, reply));
      return;
    }
    const result = await text(request);
    reply.writeHead(202).end();
    invocation.settle.resolve(JSON.parse(result));
  };

  // A function may hold its connection for a long time before the first byte.
  const patient = { keepAliveTimeout: 0, requestTimeout: 0 };
  const server = createServer(patient, async (request, reply) => {
    const [, , ...path] = (request.url ?? "").split("/").slice(1);
    if (path.join("/") === "invocation/next") {
      initialised.resolve();
      waiting = reply;
      return handOut();
    }
    const failed = path.at(-1) === "error" && functionError(await text(request));
    if (failed && path[0] === "init") initialised.reject(failed);
    const invocation = underWay.get(decodeURIComponent(path[1] ?? ""));
    if (failed) reply.writeHead(202).end();
    if (!invocation) return;
    underWay.delete(invocation.id);
    if (failed) invocation.settle.reject(failed);
    else await respond(invocation, request, reply).catch(invocation.settle.reject);
  });
  const { port, stop } = await startServer(server);

  return {
    address: `127.0.0.1:${port}`,
    initialised: initialised.promise,
    invoke: (event, deadline) => {
      const invocation = { id: randomUUID(), event, deadline, settle: Promise.withResolvers<HttpResponse>() };
      underWay.set(invocation.id, invocation);
      queue.push(invocation);
      handOut();
      return invocation.settle.promise;
    },
    fail: (error) => {
      initialised.reject(error);
      for (const { settle } of underWay.values()) settle.reject(error);
      underWay.clear();
      queue.length = 0;
      waiting = undefined;
    },
    stop,
  };
};
