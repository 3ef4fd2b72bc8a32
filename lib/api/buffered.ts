/** Returns each response to Lambda as a whole. Lambda limits a buffered response to 6 MB. */
import type { Delivery } from "./handler.ts";

export const buffered: Delivery<false> = {
  middlewares: [],
  handlerOf: (serve) => async (event, context) => {
    const { response, log } = await serve(event, context);
    log();
    return { ...response, body: String(response.body) };
  },
};
