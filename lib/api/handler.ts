/** The types of Lambda handlers: buffered and streaming. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";

export type BufferedHandler<Event = APIGatewayProxyEvent> = (
  event: Event,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/** Writes the response's status, headers and body to the stream. */
export type StreamingHandler<Event = APIGatewayProxyEvent> = (
  event: Event,
  stream: awslambda.HttpResponseStream,
  context: Context,
) => Promise<void>;

export type ApiHandler<Streams extends boolean> = Streams extends true ? StreamingHandler : BufferedHandler;
