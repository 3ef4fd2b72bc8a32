/** A Lambda handler either returns its whole response at the end, or streams it. */
import { once } from "node:events";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { compress } from "./compress.ts";
import type { ApiMiddleware } from "./request.ts";
import type { ProxyResult } from "./response.ts";
import { type Sent, sendResponse } from "./send.ts";

export type BufferedHandler<Event = APIGatewayProxyEvent> = (
  event: Event,
  context: Context,
) => Promise<APIGatewayProxyResult>;

export type StreamingHandler<Event = APIGatewayProxyEvent> = (
  event: Event,
  stream: awslambda.HttpResponseStream,
  context: Context,
) => Promise<void>;

export type ApiHandler = BufferedHandler | StreamingHandler;

/** Call `log` last: a stream can fail halfway, and the log has to show it. */
type Serve = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<{ response: ProxyResult; log: (sent?: Sent) => void; settled: () => Promise<unknown> }>;

type Delivery = {
  readonly middlewares: readonly ApiMiddleware[];
  readonly handlerOf: (serve: Serve) => ApiHandler;
};

/** Lambda limits a buffered response to 6 MB, and may stop the process as soon as the handler has returned. */
const buffered: Delivery = {
  middlewares: [],
  handlerOf:
    (serve): BufferedHandler =>
    async (event, context) => {
      const { response, log } = await serve(event, context);
      log();
      return { ...response, body: String(response.body) };
    },
};

/** An error before the first byte still becomes a 500 or 503, so we wait for that byte before we send the status. */
const awaitFirstByte: ApiMiddleware = {
  after: async ({ response }) => {
    if (typeof response?.body === "object") await once(response.body, "readable");
  },
};

const streamed: Delivery = {
  middlewares: [awaitFirstByte, compress],
  handlerOf: (serve) => {
    const handler: StreamingHandler = async (event, stream, context) => {
      const { response, log, settled } = await serve(event, context);
      let sent: Sent | undefined;
      try {
        sent = await sendResponse(stream, response, context.getRemainingTimeInMillis());
      } finally {
        // After a rejected key, reads of the message may still run. Only the log waits for them: with the response, a
        // caller without a key could tell from its time which messages exist.
        await settled();
        log(sent);
      }
    };
    return awslambda.streamifyResponse(handler) as StreamingHandler;
  },
};

export const deliveryOf = ({ streams }: { readonly streams: boolean }): Delivery => (streams ? streamed : buffered);
