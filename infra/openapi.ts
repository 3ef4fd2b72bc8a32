/** `npm run openapi`: prints the OpenAPI document. */
import { openApiDocument } from "../lib/api/openapi.ts";

console.log(JSON.stringify(openApiDocument(), null, 2));
