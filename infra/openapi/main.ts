/** `npm run openapi [URL]` prints the OpenAPI document, by default for the local server. */
import { openApiDocument } from "./document.ts";

const [serverUrl] = process.argv.slice(2);
if (serverUrl !== undefined && !URL.canParse(serverUrl)) {
  console.error(`npm run -s openapi -- [URL] accepts the URL of an API, not ${serverUrl}`);
  process.exitCode = 2;
} else {
  console.log(JSON.stringify(openApiDocument(serverUrl === undefined ? {} : { serverUrl }), null, 2));
}
