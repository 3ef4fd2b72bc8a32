/** Returns each response as a whole instead of streaming it. Lambda limits a buffered response to 6 MB. */
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
