/** What Lambda calls. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";

export type BufferedHandler<Event = APIGatewayProxyEvent> = (
  event: Event,
  context: Context,
) => Promise<APIGatewayProxyResult>;

/** Writes status and headers, then the body, to the stream that Lambda gives it. */
export type StreamingHandler<Event = APIGatewayProxyEvent> = (
  event: Event,
  stream: awslambda.HttpResponseStream,
  context: Context,
) => Promise<void>;

export type ApiHandler<Streams extends boolean> = Streams extends true ? StreamingHandler : BufferedHandler;
