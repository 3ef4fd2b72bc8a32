import { describe, expect, test } from "vitest";
import type { Page } from "../../../infra/local/gateway.ts";
import { asError, echo, get, messagePath, serve } from "../../harness/echo-gateway.ts";
import { exchange } from "../../harness/raw-http.ts";

const page = (holdsKey: boolean): Page => ({
  holdsKey,
  respond: () => ({ statusCode: 200, headers: {}, body: "page" }),
});
const pages: [string, Page][] = [
  ["/key", page(true)],
  ["/public", page(false)],
];

const foreignHost = {
  status: 403,
  message:
    "This page contains an API key: open it under 127.0.0.1, localhost or [::1], with the server's port",
};
const foreignOrigin = {
  status: 403,
  message: "This server rejects requests from web pages of other origins",
};

describe("Under a name that is not the server's own,", () => {
  const foreignNames =
    "evil.example:PORT|evil.example|127.0.0.1.nip.io:PORT|127.0.0.1|127.0.0.1:1|127.0.0.2:PORT|localhost.:PORT|" +
    "localhost:PORT@evil.example|";

  test.each(foreignNames.split("|"))("a page with an API key is rejected: %s", async (name) => {
    const { url, port } = await serve(echo, pages);

    const response = await exchange(url, get(name.replace("PORT", String(port)), "/key"));

    expect(asError(response)).toEqual(foreignHost);
  });

  test("a page with an API key is rejected if the request target has the name", async () => {
    const { url, host } = await serve(echo, pages);

    expect(asError(await exchange(url, get(host, "http://evil.example/key")))).toEqual(foreignHost);
  });

  test.each(["host.docker.internal:PORT", "api.internal"])(
    "a program in a container reaches the API and the OpenAPI document: %s",
    async (name) => {
      const { url, port } = await serve(echo, pages);
      const host = name.replace("PORT", String(port));

      const responses = [
        await exchange(url, get(host, messagePath)),
        await exchange(url, get(host, "/public")),
      ];

      expect(responses.map((response) => response?.status)).toEqual([200, 200]);
    },
  );
});

const foreignOrigins =
  "http://evil.example|https://127.0.0.1:PORT|http://127.0.0.1:1|http://127.0.0.1|" +
  "http://localhost:PORT.evil.example|null|";

test.each(foreignOrigins.split("|"))(
  "Every request with the foreign Origin %s is rejected",
  async (origin) => {
    const { url, host, port } = await serve(echo, pages);
    const header = `Origin: ${origin.replace("PORT", String(port))}`;

    for (const path of [messagePath, "/key", "/public", "/no-route"])
      expect(asError(await exchange(url, get(host, path, header))), path).toEqual(foreignOrigin);
  },
);

test.each(["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])(
  "A program, and a page of the server itself, may call the server %s",
  async (name) => {
    const { url, port } = await serve(echo, pages);
    const origin = `Origin: http://${name}:${port}`;

    const responses = [
      await exchange(url, get(`${name}:${port}`, "/key")),
      await exchange(url, get(`${name}:${port}`, messagePath, origin)),
    ];

    expect(responses.map((response) => response?.status)).toEqual([200, 200]);
  },
);
