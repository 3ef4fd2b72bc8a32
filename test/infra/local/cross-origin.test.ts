import { describe, expect, test } from "vitest";
import { asError, echo, get, messagePath, serve } from "../../harness/echo-gateway.ts";
import { exchange } from "../../harness/raw-http.ts";

const foreign = {
  status: 403,
  message: "This server answers as 127.0.0.1, localhost or [::1] with its port, and to its own pages only",
};

describe("A page of another site", () => {
  test.each([
    "evil.example:PORT",
    "evil.example",
    "127.0.0.1.nip.io:PORT",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.2:PORT",
    "localhost.:PORT",
    "localhost:PORT@evil.example",
    "",
  ])("is refused under the name %s, whatever it asks for", async (name) => {
    const { url, port } = await serve(echo, [["/", () => ({ statusCode: 200, headers: {}, body: "key" })]]);
    const host = name.replace("PORT", String(port));

    expect(asError(await exchange(url, get(host, "/")))).toEqual(foreign);
    expect(asError(await exchange(url, get(host, messagePath)))).toEqual(foreign);
  });

  test.each([
    "http://evil.example",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:1",
    "http://127.0.0.1",
    "http://localhost:PORT.evil.example",
    "null",
    "",
  ])("is refused with the Origin %s", async (origin) => {
    const { url, host, port } = await serve();

    const answer = await exchange(
      url,
      get(host, messagePath, `Origin: ${origin.replace("PORT", String(port))}`),
    );

    expect(asError(answer)).toEqual(foreign);
  });

  test("is refused where the target names it, whatever Host says", async () => {
    const { url, host } = await serve();

    expect(asError(await exchange(url, get(host, `http://evil.example${messagePath}`)))).toEqual(foreign);
  });
});

test.each(["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])(
  "A program, and a page of the server's own, may call it %s",
  async (name) => {
    const { url, port } = await serve();

    const program = await exchange(url, get(`${name}:${port}`, messagePath));
    const page = await exchange(url, get(`${name}:${port}`, messagePath, `Origin: http://${name}:${port}`));

    expect([program?.status, page?.status]).toEqual([200, 200]);
  },
);
