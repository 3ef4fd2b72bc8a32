/** `npm run event-schema` prints the JSON Schema of the events. */
import { eventSchema } from "./schema.ts";

console.log(JSON.stringify(eventSchema(), null, 2));
