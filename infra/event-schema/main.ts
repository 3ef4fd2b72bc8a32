/** `npm run event-schema` prints the JSON Schema of an event. */
import { eventSchema } from "./schema.ts";

console.log(JSON.stringify(eventSchema(), null, 2));
