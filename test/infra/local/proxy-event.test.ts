import { describe, expect, test } from "vitest";
import { addAccountMember } from "../../../lib/http/operations.ts";
import { eventOf, get, membersPath, messagePath, serve } from "../../harness/echo-gateway.ts";
import { exchange } from "../../harness/raw-http.ts";

describe("The event of a request", () => {
  test("has the header names in the caller's case, the last value of each, and all values in order", async () => {
    const { url, host } = await serve();

    const response = await exchange(url, get(host, messagePath, "X-Twice: 1", "x-once:  a b ", "X-Twice: 2"));

    const { headers, multiValueHeaders } = eventOf(response);
    expect(headers).toEqual({ Host: host, "X-Twice": "2", "x-once": "a b" });
    expect(multiValueHeaders).toEqual({ Host: [host], "X-Twice": ["1", "2"], "x-once": ["a b"] });
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "keeps a header, a query parameter and a path segment named %s",
    async (name) => {
      const { url, host } = await serve();

      const target = `/v2/accounts/${name}/messages/m?${name}=1`;
      const response = await exchange(url, get(host, target, `${name}: 1`));

      const { headers, multiValueHeaders, queryStringParameters, pathParameters } = eventOf(response);
      expect(Object.entries(headers)).toContainEqual([name, "1"]);
      expect(Object.entries(multiValueHeaders)).toContainEqual([name, ["1"]]);
      expect(Object.entries(queryStringParameters ?? {})).toEqual([[name, "1"]]);
      expect(pathParameters).toMatchObject({ account_id: name });
    },
  );

  const path = "/v2/accounts/%C3%A9/messages/%ff";
  const pathParameters = { account_id: "é", message_id: "%ff" };
  const queryStringParameters = { a: "2", b: "" };
  const multiValueQueryStringParameters = { a: ["1", "2"], b: [""] };
  const none = { queryStringParameters: null, multiValueQueryStringParameters: null, body: null };

  test.each([
    ["the path unchanged, and the path parameters decoded if that is possible", path, { path, pathParameters }],
    [
      "all values of a query parameter",
      `${messagePath}?a=1&a=2&b`,
      { queryStringParameters, multiValueQueryStringParameters },
    ],
    ["null for a missing query", messagePath, none],
    ["null for an empty query", `${messagePath}?`, none],
    [
      "the same for a target in absolute form (RFC 9112, section 3.2.2)",
      `http://HOST${messagePath}?a=2&b`,
      { path: messagePath, queryStringParameters },
    ],
  ])("has %s", async (_, target, expected) => {
    const { url, host } = await serve();

    expect(eventOf(await exchange(url, get(host, target.replace("HOST", host))))).toMatchObject(expected);
  });

  test("has the body unchanged, whatever its type, chunked or not", async () => {
    const { url, host } = await serve();
    const head = `POST ${membersPath} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/plain\r\n`;

    const whole = await exchange(url, `${head}Content-Length: 5\r\n\r\n{"é"`);
    const chunks = '3\r\n{"a\r\n1\r\n"\r\n0\r\n\r\n';
    const chunked = await exchange(url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`);

    expect(eventOf(whole).body).toBe('{"é"');
    expect(eventOf(chunked).body).toBe('{"a"');
    expect(eventOf(await exchange(url, `${head}Content-Length: 1\r\n\r\n1`)).body).toBe("1");
  });

  test("names the route, the caller, and the time", async () => {
    const { url, host } = await serve();
    const request = get(host, membersPath, "User-Agent: curl/8", "Content-Length: 0").replace("GET", "POST");
    const before = Date.now();

    const event = eventOf(await exchange(url, request));

    const { path: resource } = addAccountMember;
    expect(event).toMatchObject({ resource, path: membersPath, httpMethod: "POST", isBase64Encoded: false });
    const { requestContext } = event;
    expect(requestContext).toMatchObject({
      resourcePath: resource,
      path: membersPath,
      httpMethod: "POST",
      protocol: "HTTP/1.1",
      identity: { sourceIp: "127.0.0.1", userAgent: "curl/8" },
    });
    expect(requestContext.requestId).toMatch(/^[\da-f-]{36}$/);
    expect(requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before);
    expect(requestContext.requestTimeEpoch).toBeLessThanOrEqual(Date.now());
  });

  test("has an id that the caller cannot set, beside the one of API Gateway that the caller can set", async () => {
    const { url, host } = await serve();

    const response = await exchange(url, get(host, messagePath, "X-Amzn-RequestId: mine"));

    const { requestId, extendedRequestId } = eventOf(response).requestContext;
    expect(requestId).toBe("mine");
    expect(extendedRequestId).toMatch(/^[\w-]{15}=$/);
  });
});
