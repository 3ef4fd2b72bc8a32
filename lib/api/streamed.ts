/** For operations whose responses can exceed Lambda's 6 MB: compresses each response and streams it. */
import { once } from "node:events";
import { compress } from "./compress.ts";
import type { Delivery, StreamingHandler } from "./delivery.ts";
import type { ApiMiddleware } from "./request.ts";
import { type Sent, sendResponse } from "./send.ts";

/** Until the body's first byte, an error can still change the status, so we wait for that byte. */
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
