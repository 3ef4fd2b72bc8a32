/** A Lambda handler either returns its whole response at the end, or streams it. */
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

/** Call `log` last: a stream can fail halfway, and the log has to show it. */
type Serve = (
  event: APIGatewayProxyEvent,
  context: Context,
) => Promise<{ response: ProxyResult; log: (sent?: Sent) => void }>;

export type Delivery = {
  readonly middlewares: readonly ApiMiddleware[];
  readonly handlerOf: (serve: Serve) => ApiHandler;
};
