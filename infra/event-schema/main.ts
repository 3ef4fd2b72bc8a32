/** `npm run event-schema`. */
import { eventSchema } from "./schema.ts";

console.log(JSON.stringify(eventSchema(), null, 2));
