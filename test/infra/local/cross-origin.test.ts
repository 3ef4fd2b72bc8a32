import { describe, expect, test } from "vitest";
import type { Page } from "../../../infra/local/gateway.ts";
import { asError, echo, get, messagePath, serve } from "../../harness/echo-gateway.ts";
import { exchange } from "../../harness/raw-http.ts";

const respond = () => ({ statusCode: 200, headers: {}, body: "page" });
const pages: [string, Page][] = [
  ["/document", { isPrivate: true, isDocument: true, respond }],
  ["/key", { isPrivate: true, respond }],
  ["/public", { isPrivate: false, respond }],
];

const own = "127.0.0.1, localhost or [::1], with the server's port";
const foreignHost = { status: 403, message: `This address is private: open it under ${own}` };
const foreignOrigin = {
  status: 403,
  message: "This server rejects requests from web pages of other origins",
};

describe("Under a name that is not the server's own,", () => {
  const foreignNames =
    "evil.example:PORT|evil.example|127.0.0.1.nip.io:PORT|127.0.0.1|127.0.0.1:1|127.0.0.2:PORT|localhost.:PORT|" +
    "localhost:PORT@evil.example|";

  test.each<[name: string, target: string]>([
    ...foreignNames.split("|").map((name): [string, string] => [name, "/key"]),
    ["127.0.0.1:PORT", "http://evil.example/key"],
    ["evil.example:PORT", "http://127.0.0.1:PORT/key"],
  ])("a page with an API key is rejected: Host %s, target %s", async (name, target) => {
    const { url, port } = await serve(echo, pages);
    const withPort = (text: string) => text.replace("PORT", String(port));

    const response = await exchange(url, get(withPort(name), withPort(target)));

    expect(asError(response)).toEqual(foreignHost);
  });

  const containers = ["host.docker.internal:PORT", "api.internal"];

  test.each(containers)("a program in a container reaches the API and the document: %s", async (name) => {
    const { url, port } = await serve(echo, pages);
    const host = name.replace("PORT", String(port));

    for (const path of [messagePath, "/public"])
      expect(await exchange(url, get(host, path)), path).toMatchObject({ status: 200 });
  });
});

const foreignOrigins =
  "http://evil.example|https://127.0.0.1:PORT|http://127.0.0.1:1|http://127.0.0.1|" +
  "http://localhost:PORT.evil.example|null|";

test.each(foreignOrigins.split("|"))("A request with the foreign Origin %s is rejected", async (origin) => {
  const { url, host, port } = await serve(echo, pages);
  const header = `Origin: ${origin.replace("PORT", String(port))}`;

  for (const path of [messagePath, "/key", "/public", "/no-route"])
    expect(asError(await exchange(url, get(host, path, header))), path).toEqual(foreignOrigin);
});

const ownNames = ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"];

test.each(ownNames)("A program, and a page of the server itself, may call the server %s", async (name) => {
  const { url, port } = await serve(echo, pages);
  const origin = `Origin: http://${name}:${port}`;

  expect(await exchange(url, get(`${name}:${port}`, "/key"))).toMatchObject({ status: 200 });
  expect(await exchange(url, get(`${name}:${port}`, messagePath, origin))).toMatchObject({ status: 200 });
});

const ofPicture = ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"];
const ofLink = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];

test.each([
  ["a picture of another site's page", "cross-site", ofPicture, []],
  ["a picture of a page on another port", "same-site", ofPicture, []],
  ["a link in a chat", "cross-site", ofLink, ["/document"]],
  ["a frame in another site's page", "cross-site", ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], []],
  ["the server's own page", "same-origin", ofPicture, ["/document", "/key", "/public", messagePath]],
  ["a typed address", "none", ofLink, ["/document", "/key", "/public", messagePath]],
])("Without an Origin, %s reaches only what it may", async (_, site, headers, reached) => {
  const { url, host } = await serve(echo, pages);

  const statuses = await Promise.all(
    ["/document", "/key", "/public", messagePath].map(async (path) => {
      const response = await exchange(url, get(host, path, `Sec-Fetch-Site: ${site}`, ...headers));
      return [path, response?.status];
    }),
  );

  expect(statuses.filter(([, status]) => status === 200).map(([path]) => path)).toEqual(reached);
  expect(statuses.filter(([, status]) => status === 403)).toHaveLength(4 - reached.length);
});
