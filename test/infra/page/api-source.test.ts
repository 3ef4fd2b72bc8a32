/** `npm start -- --api`: the desk reads messages from an API with a customer's key. */
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { forwardTo } from "../../../infra/local/forward.ts";
import { gateway } from "../../../infra/local/gateway.ts";
import { apiSource } from "../../../infra/page/api-source.ts";
import { deskPages } from "../../../infra/page/serve-page.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { listen } from "../../harness/listen.ts";
import { bearer, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

/** Serves the desk of this API. Returns the response to a request for a message's data. */
const serveDesk = async (api: string, secret: string) => {
  const pages = deskPages({ source: "api", where: [api], api }, apiSource);
  const port = await listen(gateway([], pages, undefined, forwardTo(new URL(api))));
  return async (name: string, { account_id: account, id: message }: { account_id: string; id: string }) =>
    fetch(`http://127.0.0.1:${port}/messages/${name}?${new URLSearchParams({ account, message })}`, {
      headers: bearer(secret),
    });
};

const stored = async (raw: Buffer | null) => {
  const key = await newKey();
  const message = newMessage({ account_id: key.account_id });
  await storeMessage(table, message, raw, noon);
  return { message, secret: key.secret };
};

test("A message's head, content and email are those of the API", async () => {
  const raw = "Subject: Zoë\r\n\r\nHello";
  const { message, secret } = await stored(Buffer.from(raw));
  const get = await serveDesk(await startService(), secret);

  const head = await (await get("head", message)).json();

  expect(head).toMatchObject({ id: message.id, subject: "Hello", delivery_attempts: [] });
  expect(head).not.toHaveProperty("content");
  expect(head).not.toHaveProperty("content_parsed");
  expect(await (await get("content", message)).json()).toEqual({ content: raw });
  expect(await (await get("raw", message)).text()).toBe(raw);
  expect(await (await get("structure", message)).json()).toEqual([{ isInline: true, isReplaced: false }]);
});

test("What the API doesn't have is a 404, as is the email of a message without one, and the search", async () => {
  const { message, secret } = await stored(null);
  const get = await serveDesk(await startService(), secret);
  const errorOf = async (name: string, ref = message) => {
    const response = await get(name, ref);
    return { status: response.status, body: await response.json() };
  };

  for (const name of ["raw", "structure"]) {
    expect(await errorOf(name)).toEqual({
      status: 404,
      body: { message: "This message has no raw email: its content was removed, or never stored." },
    });
  }
  const other = newMessage({ account_id: message.account_id });
  for (const name of ["head", "content", "raw"]) {
    expect(await errorOf(name, other)).toEqual({ status: 404, body: { message: "Message not found" } });
  }
  expect(await errorOf("search")).toEqual({ status: 404, body: { message: "An API has no search" } });
  expect(await (await get("recent", message)).json()).toBeNull();
});

test("A wrong key is said in words, and every other error is the API's own", async () => {
  const { message } = await stored(null);
  const get = await serveDesk(await startService(), "wrong");
  const busy = createServer((_, response) =>
    response.writeHead(429, { "Content-Type": "application/json" }).end('{"message":"Too many requests"}'),
  );
  const getBusy = await serveDesk(`http://127.0.0.1:${await listen(busy)}`, "key");

  for (const name of ["head", "raw"]) {
    const [wrong, tooMany] = [await get(name, message), await getBusy(name, message)];
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toEqual({
      message: "Invalid API key. A key can be wrong, revoked or expired, or belong to another account",
    });
    expect(tooMany.status).toBe(429);
    expect(await tooMany.json()).toEqual({ message: "Too many requests" });
  }
});

test("An id can't lead to another address of the API", async () => {
  const seen: string[] = [];
  const api = createServer(({ url = "" }, response) => {
    seen.push(url);
    response.writeHead(404, { "Content-Type": "application/json" }).end("{}");
  });
  const get = await serveDesk(`http://127.0.0.1:${await listen(api)}`, "key");

  await get("content", { account_id: "../a?b", id: "../c#d" });

  expect(seen).toEqual(["/v2/accounts/..%2Fa%3Fb/messages/..%2Fc%23d?fields=content"]);
});
