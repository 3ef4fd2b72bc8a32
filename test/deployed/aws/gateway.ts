/** What API Gateway does before a function runs: its own errors, the request id, TLS. */
import { connect } from "node:tls";
import { beforeAll, describe, expect, type TestContext, test } from "vitest";
import { noRoute } from "../../../lib/http/error-catalogue.ts";
import { requestIdHeader } from "../../../lib/http/response.ts";
import { expectError } from "../expect.ts";
import type { Service } from "../service.ts";

type Version = "TLSv1.1" | "TLSv1.2" | "TLSv1.3";

/** The TLS version that both agree on, or `rejected` with the reason. */
const negotiate = ({ hostname, port }: URL, version: Version): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
      servername: hostname,
      minVersion: version,
      maxVersion: version,
      ciphers: "DEFAULT@SECLEVEL=0", // OpenSSL offers TLS 1.1 only at security level 0.
    });
    socket.once("secureConnect", () => {
      resolve(socket.getProtocol() ?? "none");
      socket.destroy();
    });
    socket.once("error", ({ message }) => resolve(`rejected: ${message}`));
  });

/** API Gateway fails each of these for another reason, long before it sees that there is no such route. */
const unknownRoutes: [string, Record<string, string>][] = [
  ["without credentials", {}],
  ["with a bearer token", { Authorization: "Bearer emk_unknown" }],
  ["with a malformed AWS signature", { Authorization: "AWS4-HMAC-SHA256 unknown" }],
  [
    "with the AWS signature of an unknown key",
    {
      Authorization:
        "AWS4-HMAC-SHA256 Credential=AKIAUNKNOWN/20261120/eu-west-1/execute-api/aws4_request, SignedHeaders=host, Signature=00",
      "X-Amz-Date": "20261120T120000Z",
    },
  ],
];

export const describeGateway = (serviceOf: () => Service) =>
  describe("API Gateway", () => {
    let service: Service;
    let secret: string;
    beforeAll(async () => {
      service = serviceOf();
      secret = (await service.newKey()).secret;
    });

    test.each(unknownRoutes)("An unknown route is a 404 for a request %s", async (_, headers) => {
      expectError(await service.call("/v2/unknown", null, { headers }), noRoute);
    });

    test("An unknown method is a 404", async () => {
      const path = `/v2/accounts/${service.account_id}/members`;
      expectError(await service.call(path, secret, { method: "TRACE" }), noRoute);
    });

    // By reports, API Gateway responds to both in plain text, whatever the gateway response says.
    test("A body over API Gateway's 10 MB is rejected with 413", async () => {
      const { status } = await service.addMember(secret, "x".repeat(11_000_000));
      expect(status).toBe(413);
    });

    test("Headers over API Gateway's 10,240 bytes are rejected", async () => {
      const headers = { "X-Padding": "x".repeat(11_000) };
      const { status } = await service.call("/v2/unknown", secret, { headers });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    });

    test.each(["/v2/unknown", "/v2/accounts/a/messages/m"])(
      "No header of the caller sets the request id of %s",
      async (path) => {
        const headers = { "x-amzn-RequestId": "chosen-by-caller", [requestIdHeader]: "chosen-by-caller" };
        const response = await service.call(path, secret, { headers });
        expect(response.headers[requestIdHeader.toLowerCase()]).not.toContain("chosen-by-caller");
      },
    );

    const secureUrl = ({ skip }: TestContext): URL => {
      const url = new URL(service.url);
      return url.protocol === "https:" ? url : skip("The service uses HTTP.");
    };

    test.for(["TLSv1.2", "TLSv1.3"] as const)("%s is accepted", async (version, context) => {
      expect(await negotiate(secureUrl(context), version)).toBe(version);
    });

    test("TLSv1.1 is rejected", async (context) => {
      expect(await negotiate(secureUrl(context), "TLSv1.1")).toMatch(/^rejected/);
    });
  });
