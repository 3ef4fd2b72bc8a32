/** The HTTP responses of the reference page. reference.browser.ts tests the page in a browser. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { get as httpGet, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { exampleIds } from "../../../infra/local/demo.ts";
import { gateway } from "../../../infra/local/gateway.ts";
import { referencePages } from "../../../infra/local/reference.ts";
import { openApiDocument } from "../../../infra/openapi/document.ts";
import { apiSource } from "../../../infra/page/api-source.ts";
import { deskPages } from "../../../infra/page/serve-page.ts";
import { listen } from "../../harness/listen.ts";

const demo = {
  account_id: randomUUID(),
  domain_id: randomUUID(),
  api_key: "emk_demonstration",
  messages: { welcome: "welcome", invoice: "invoice", bounce: "bounce" },
};

const pages = new Map([
  ...referencePages(demo),
  ...deskPages({ source: "local", where: [], api: "", demo }, apiSource),
]);

const servePages = async (): Promise<string> => `http://127.0.0.1:${await listen(gateway([], pages))}`;

/** Sends a request without `fetch`, which would decompress the body. */
const get = async (url: string, headers = {}): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> => {
  const [response] = await once(httpGet(url, { headers }), "response");
  return { headers: response.headers, body: await buffer(response) };
};

const scriptOf = async (url: string): Promise<string> => {
  const { body } = await get(url);
  const [, path] = /<script src="(\/reference\.js[^"]*)">/.exec(body.toString()) ?? [];
  return url + path;
};

test.each(["/", "/messages"])("The page %s has a key, so no cache and no other site may use it", async (path) => {
  const url = await servePages();

  const { headers, body } = await get(url + path);
  const other = await get(url + path, { Host: "evil.example" });

  expect(body.toString()).toContain(demo.api_key);
  expect(other.body.toString()).not.toContain(demo.api_key);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy": expect.stringMatching(
      /^default-src '(self|none)'.*; frame-ancestors 'none'; base-uri 'none'/,
    ),
  });
});

test.each(["/", "/messages"])("A link of another site, as in a chat, leads to the page %s", async (path) => {
  const url = await servePages();
  const followed = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

  const { body } = await get(url + path, followed);

  expect(body.toString()).toContain(demo.api_key);
});

test("The desk's script runs by a nonce that each load has anew, and nothing else may load or send", async () => {
  const url = await servePages();
  const nonceOf = async (): Promise<string | undefined> => {
    const { headers, body } = await get(`${url}/messages`);
    const [, nonce] = /<script type="module" nonce="([^"]+)">/.exec(body.toString()) ?? [];
    expect(headers).toMatchObject({
      "content-security-policy":
        `default-src 'none'; script-src 'nonce-${nonce}'; worker-src blob:; connect-src 'self'; ` +
        "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      "referrer-policy": "no-referrer",
      "x-dns-prefetch-control": "off",
    });
    return nonce;
  };

  expect(await nonceOf()).not.toBe(await nonceOf());
});

test("Nothing that the desk knows of its server ends its script", async () => {
  const where = ["</script><script>alert(1)</script>", "$&"];
  const desk = deskPages({ source: "table", where, api: "" }, apiSource);
  const { body } = await get(`http://127.0.0.1:${await listen(gateway([], desk))}/messages`);

  const [, embedded = ""] = /id="shown">(.*?)<\/script>/s.exec(body.toString()) ?? [];

  expect(JSON.parse(embedded)).toEqual({ source: "table", where, api: "" });
});

const data = [...deskPages({ source: "local", where: [], api: "" }, apiSource).keys()];

test.each(data.filter((path) => path !== "/messages/attached"))(
  "%s is for this machine's own names only",
  async (path) => {
    const { body } = await get((await servePages()) + path, { Host: "evil.example" });

    expect(JSON.parse(body.toString()).message).toMatch(/^This address is private/);
  },
);

test("A container reads the document and the script, and a link of another site leads to neither", async () => {
  const url = await servePages();
  const statusOf = async (path: string, headers: Record<string, string>) => {
    const [response] = await once(httpGet(url + path, { headers }), "response");
    response.resume();
    return response.statusCode;
  };
  const ofLink = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

  for (const path of ["/openapi.json", "/reference.js"]) {
    expect(await statusOf(path, { Host: "host.docker.internal" }), path).toBe(200);
    expect(await statusOf(path, ofLink), path).toBe(403);
  }
});

test("The page uses the key of the demonstration, and none of Scalar's online services", async () => {
  const url = await servePages();

  const page = (await get(url)).body.toString();

  const [, configuration = ""] = /createApiReference\("#reference", (.*)\)<\/script>/.exec(page) ?? [];
  expect(JSON.parse(configuration)).toMatchObject({
    url: "/openapi.json",
    authentication: {
      preferredSecurityScheme: "apiKey",
      securitySchemes: { apiKey: { token: demo.api_key } },
    },
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
  });
});

test("The first example is a message of the demonstration", async () => {
  const url = await servePages();

  const { paths } = JSON.parse((await get(`${url}/openapi.json`)).body.toString());

  const { parameters } = paths["/v2/accounts/{account_id}/messages/{message_id}"].get;
  const examples = parameters.map(({ name, example }: { name: string; example: string }) => [name, example]);
  expect(Object.fromEntries(examples)).toMatchObject({ account_id: demo.account_id, ...exampleIds });
});

test("Each load of the document has a new email and idempotency key, so that the first request is no replay", async () => {
  const url = await servePages();
  const examplesOf = async (): Promise<string[]> => {
    const { paths } = JSON.parse((await get(`${url}/openapi.json`)).body.toString());
    const { parameters, requestBody } = paths["/v2/accounts/{account_id}/members"].post;
    return JSON.stringify({ parameters, requestBody }).match(/[\da-f-]{36}|ada\.[\da-f]+/g) ?? [];
  };

  const [first, second] = [await examplesOf(), await examplesOf()];

  const isShared = (example: string): boolean => second.includes(example) && example !== demo.account_id;
  expect(first.length).toBeGreaterThan(1);
  expect(first.filter(isShared)).toEqual([]);
});

test("The script is compressed if the browser accepts gzip, and browsers may cache it for ever", async () => {
  const script = await scriptOf(await servePages());

  const compressed = await get(script, { "Accept-Encoding": "gzip, deflate, br" });
  const plain = await get(script, { "Accept-Encoding": "gzip;q=0" });

  expect(plain.body.toString()).toContain("createApiReference");
  expect(createHash("sha256").update(plain.body).digest("hex")).toContain(new URL(script).search.slice(1));
  expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
  expect(compressed.body.length).toBeLessThan(plain.body.length / 3);
  expect(compressed.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "content-encoding": "gzip",
    "cache-control": "private, max-age=31536000, immutable",
    vary: "Accept-Encoding",
  });
  expect(plain.headers).not.toHaveProperty("content-encoding");
});

test("The document names the server by the name in the request", async () => {
  const url = await servePages();
  const asLocalhost = url.replace("127.0.0.1", "localhost");

  const { headers, body } = await get(`${asLocalhost}/openapi.json`);

  expect(JSON.parse(body.toString()).servers).toEqual([{ url: asLocalhost }]);
  expect(headers["cache-control"]).toBe("no-store");
});

test("The document first says what the API does, and then how to use it on this machine", async () => {
  const url = await servePages();

  const { info } = JSON.parse((await get(`${url}/openapi.json`)).body.toString());

  const [first = "", second = ""] = info.description.trim().split(/\n\n/);
  expect(openApiDocument().info.description.trim().startsWith(first)).toBe(true);
  expect(second).toContain("/messages");
});
