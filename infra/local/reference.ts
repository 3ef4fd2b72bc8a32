/** The reference page: reads the OpenAPI document to people, and tries it with the demonstration account. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import Negotiator from "negotiator";
import { openApiDocument } from "../openapi/document.ts";
import type { Demo } from "./demo.ts";
import type { Page, Pages } from "./gateway.ts";
import { referenceScript } from "./reference-script.ts";

/**
 * With this, the browser sees to it that the page asks no one but this server for anything, and that no other
 * site's page shows it in a frame: it holds a key.
 */
const onlyThisServer =
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'none'; base-uri 'none'";

const never = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
const forEver = { ...never, "Cache-Control": "private, max-age=31536000, immutable" };

const css = `
  :root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }
  /* On a phone, it would lie on the address of the request. */
  @media (width < 48rem) { .scalar-client .scalar-sidebar-toggle { display: none; } }
`;

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
  customCss: css,
});

const html = (demo: Demo, script: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Email API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <script src="${script}"></script>
    <script>Scalar.createApiReference("#reference", ${JSON.stringify(configuration(demo))})</script>
  </body>
</html>
`;

const sendScript: Page["respond"] = async ({ headers }) => {
  const { plain, gzipped } = await referenceScript();
  const asks = { "accept-encoding": headers["accept-encoding"]?.toString() };
  const compresses = new Negotiator({ headers: asks }).encoding(["gzip", "identity"]) === "gzip";
  return {
    statusCode: 200,
    headers: {
      ...forEver,
      "Content-Type": "text/javascript; charset=utf-8",
      Vary: "Accept-Encoding",
      ...(compresses && { "Content-Encoding": "gzip" }),
    },
    body: Readable.from([compresses ? gzipped : plain]),
  };
};

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
  const parameters = {
    account_id: demo.account_id,
    message_id: demo.messages.welcome,
    "Idempotency-Key": idempotencyKey,
  };
  const bodies = { AddAccountMember: newMember };
  return new Map<string, Page>([
    [
      "/",
      {
        holdsKey: true,
        respond: async () => ({
          statusCode: 200,
          headers: {
            ...never,
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": onlyThisServer,
          },
          body: html(demo, (await referenceScript()).path),
        }),
      },
    ],
    [
      "/openapi.json",
      {
        holdsKey: false,
        respond: ({ serverUrl }) => ({
          statusCode: 200,
          headers: { ...never, "Content-Type": "application/json" },
          body: JSON.stringify(openApiDocument({ serverUrl, parameters, bodies })),
        }),
      },
    ],
    ["/reference.js", { holdsKey: false, respond: sendScript }],
  ]);
};
