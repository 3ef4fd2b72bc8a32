/** The types of Lambda handlers: buffered and streaming. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { ApiMiddleware } from "./request.ts";
import type { ProxyResult } from "./response.ts";
import type { Sent } from "./send.ts";

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

/** Call `log` after the response was sent, because a stream can fail half-way. */
type Serve = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<{ response: ProxyResult; log: (sent?: Sent) => void }>;

/** A function that doesn't stream its response doesn't load the code for streams. */
export type Delivery = {
  readonly middlewares: readonly ApiMiddleware[];
  readonly handlerOf: (serve: Serve) => ApiHandler;
};
