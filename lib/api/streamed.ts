/** Streams each response to Lambda, in the content coding that the caller accepts. */
import { compress } from "./compress.ts";
import type { Delivery, StreamingHandler } from "./delivery.ts";
import { type Sent, sendResponse } from "./send.ts";

export const streamed: Delivery = {
  middlewares: [compress],
  handlerOf: (serve) => {
    const handler: StreamingHandler = async (event, stream, context) => {
      const { response, log } = await serve(event, context);
      let sent: Sent | undefined;
      try {
        sent = await sendResponse(stream, response, context.getRemainingTimeInMillis());
      } finally {
        log(sent);
      }
    };
    return awslambda.streamifyResponse(handler) as StreamingHandler;
  },
};
