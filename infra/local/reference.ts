/** The reference page: reads the OpenAPI document to people, and tries it with the demonstration account. */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { openApiDocument } from "../openapi/document.ts";
import type { Demo } from "./demo.ts";
import type { Pages } from "./gateway.ts";

/** Scalar, as its package carries it for browsers: no content delivery network has a part in this. */
const bundle = new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));

/** With this, the browser sees to it that the page asks no one but this server for anything. */
const onlyThisServer = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:";

const configuration = ({ api_key }: Demo) => ({
  url: "/openapi.json",
  authentication: {
    preferredSecurityScheme: "apiKey",
    securitySchemes: { apiKey: { token: api_key } },
  },
  defaultOpenAllTags: true,
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: false,
  documentDownloadType: "json",
  // Scalar's own services: none of them works, or is wanted, on a machine of one's own.
  agent: { disabled: true },
  hideClientButton: true,
  mcp: { disabled: true },
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
  customCss: ":root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }",
});

const html = (demo: Demo) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Email API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/reference.js"></script>
    <script>Scalar.createApiReference("#reference", ${JSON.stringify(configuration(demo))})</script>
  </body>
</html>
`;

/**
 * The page and what it loads. What it has filled in works at the first click: an email that no one has yet,
 * and an Idempotency-Key, so that a second click shows a replay.
 */
export const referencePages = (demo: Demo): Pages => {
  const idempotencyKey = randomUUID();
  const newMember = {
    email: `ada.${idempotencyKey.slice(0, 4)}@example.org`,
    role: "Developer",
    name: "Ada Lovelace",
  } as const;
  const path = { account_id: demo.account_id, message_id: demo.messages.welcome };
  return {
    "/": () => ({
      statusCode: 200,
      headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": onlyThisServer },
      body: html(demo),
    }),
    "/openapi.json": (serverUrl) => ({
      statusCode: 200,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(openApiDocument({ serverUrl, path, idempotencyKey, newMember })),
    }),
    "/reference.js": () => ({
      statusCode: 200,
      headers: { "Content-Type": "text/javascript; charset=utf-8" },
      body: createReadStream(bundle),
    }),
  };
};
