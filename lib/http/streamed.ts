/** Streams each response, because a buffered one can't exceed 6 MB, and compresses it if the caller accepts that. */
import { once } from "node:events";
import { compress } from "./compress.ts";
import type { Delivery, StreamingHandler } from "./delivery.ts";
import type { ApiMiddleware } from "./request.ts";
import { type Sent, sendResponse } from "./send.ts";

/** An error before the first byte still becomes a 500 or 503, so we wait for that byte before we send the status. */
const awaitFirstByte: ApiMiddleware = {
  after: async ({ response }) => {
    if (typeof response?.body === "object") await once(response.body, "readable");
  },
};

export const streamed: Delivery = {
  middlewares: [awaitFirstByte, compress],
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
