/**
 * The reference page shows the OpenAPI document, and lets you send requests with the demonstration account's API key.
 */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import Negotiator from "negotiator";
import { openApiDocument } from "../openapi/document.ts";
import { type Demo, exampleIds } from "./demo.ts";
import { type Page, type Pages, pageResponse } from "./gateway.ts";
import { referenceScript } from "./reference-script.ts";

/**
 * The page contains an API key, which this Content-Security-Policy protects: the page may send requests only to this
 * server, and no other site may show the page in a frame.
 */
const onlyThisServer =
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'none'; base-uri 'none'";

const css = `
  :root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; }
  .endpoints .endpoint-path { white-space: normal; overflow-wrap: anywhere; }
  .scalar-card pre, .scalar-card code, .scalar-card code span { white-space: pre-wrap; overflow-wrap: anywhere; }
  /* On a phone, the sidebar's button would cover the URL of the request. */
  @media (width < 48rem) { .scalar-client .scalar-sidebar-toggle { display: none; } }
`;

/** Shows a note on the reference page if a response is a replay, because otherwise nobody would notice. */
const afterSend = `
  const sendRequest = window.fetch;
  window.fetch = async (...request) => {
    const response = await sendRequest(...request);
    if (!response.url.includes("/v2/")) return response;
    document.getElementById("replay").hidden = response.headers.get("idempotent-replayed") !== "true";
    const isStatus = (link) => /^\\d{3} /.test(link.textContent.trim());
    const scroll = () => [...document.querySelectorAll("[role=dialog] a")].find(isStatus)?.scrollIntoView({ inline: "nearest" });
    if (matchMedia("(width < 48rem)").matches) setTimeout(scroll, 300);
    return response;
  };
`;

/** A note that only the local server shows; the published OpenAPI document doesn't contain it. */
const onThisMachine = `
To see a message as people saw it, open [/messages](/messages): this page is slow with responses over 150 KB. To see a
replay, send Add Account Member twice. The second response has the same status and body, the header
\`Idempotent-Replayed: true\`, and a note at the bottom of the page.
`;

const configuration = (demo?: Demo) => ({
  url: "/openapi.json",
  authentication: {
    preferredSecurityScheme: "apiKey",
    securitySchemes: { apiKey: { token: demo?.api_key ?? "" } },
  },
  defaultOpenAllTags: true,
  orderSchemaPropertiesBy: "preserve",
  orderRequiredPropertiesFirst: false,
  documentDownloadType: "json",
  customCss: css,

  // Scalar's online services stay off.
  agent: { disabled: true },
  hideClientButton: true,
  mcp: { disabled: true },
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
});

const html = (demo: Demo | undefined, script: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Email API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <p id="replay" role="status" hidden style="position: fixed; z-index: 9999; bottom: 0; left: 0; right: 0; margin: 0;
      padding: 0.8rem; text-align: center; font: 600 15px system-ui, sans-serif; color: #fff; background: #1d4ed8">
      Replay: the API returned the stored first response. See Response Headers, Idempotent-Replayed: true.
    </p>
    <script>${afterSend}</script>
    <script src="${script}"></script>
    <script>Scalar.createApiReference("#reference", ${JSON.stringify(configuration(demo))})</script>
  </body>
</html>
`;

const sendScript: Page["respond"] = async ({ headers }) => {
  const { plain, gzipped } = await referenceScript();
  const accepted = { "accept-encoding": headers["accept-encoding"]?.toString() };
  const compresses = new Negotiator({ headers: accepted }).encoding(["gzip", "identity"]) === "gzip";
  return pageResponse("text/javascript; charset=utf-8", Readable.from([compresses ? gzipped : plain]), {
    "Cache-Control": "private, max-age=31536000, immutable",
    Vary: "Accept-Encoding",
    ...(compresses && { "Content-Encoding": "gzip" }),
  });
};

/**
 * Each call returns a new email address and idempotency key, so that the page's first request is neither a 409 nor a
 * replay.
 */
const examplesOf = (demo: Demo) => {
  const idempotencyKey = randomUUID();
  const email = `ada.${idempotencyKey.slice(0, 8)}@example.org`;
  return {
    parameters: {
      account_id: demo.account_id,
      ...exampleIds,
      "Idempotency-Key": idempotencyKey,
    },
    bodies: { AddAccountMember: { email, role: "Developer", name: "Ada Lovelace" } as const },
  };
};

/**
 * Each request for the OpenAPI document returns new example values.
 *
 * @param demo supplies the page's API key and ids; missing with `--api`
 */
export const referencePages = (demo?: Demo): Pages => {
  const showPage: Page["respond"] = async () =>
    pageResponse("text/html; charset=utf-8", html(demo, (await referenceScript()).path), {
      "Content-Security-Policy": onlyThisServer,
    });
  const sendDocument: Page["respond"] = ({ headers: { host } }) => {
    const examples = demo && examplesOf(demo);
    const { info, ...document } = openApiDocument({ serverUrl: `http://${host}`, ...examples });
    const description = info.description.replace(/\n\n|$/, `\n${onThisMachine}\n`);
    return pageResponse("application/json", JSON.stringify({ ...document, info: { ...info, description } }));
  };
  return new Map([
    ["/", { isPrivate: true, isDocument: true, respond: showPage }],
    ["/openapi.json", { isPrivate: false, respond: sendDocument }],
    ["/reference.js", { isPrivate: false, respond: sendScript }],
  ]);
};
