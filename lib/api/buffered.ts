/** Returns each response in one piece, which can have at most 6 MB on Lambda. */
import type { BufferedHandler, Delivery } from "./delivery.ts";

export const buffered: Delivery = {
  middlewares: [],
  handlerOf:
    (serve): BufferedHandler =>
    async (event, context) => {
      const { response, log } = await serve(event, context);
      log();
      return { ...response, body: String(response.body) };
    },
};
