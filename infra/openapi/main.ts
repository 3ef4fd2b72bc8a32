/** `npm run openapi`: prints the OpenAPI document, of the API at an address or of the one on this machine. */
import { openApiDocument } from "./document.ts";

const [serverUrl] = process.argv.slice(2);
if (serverUrl !== undefined && !URL.canParse(serverUrl)) {
  console.error(`npm run -s openapi -- [URL] takes the address of an API, not ${serverUrl}`);
  process.exitCode = 2;
} else {
  console.log(JSON.stringify(openApiDocument(serverUrl === undefined ? {} : { serverUrl }), null, 2));
}
