/** Section 3 of the contract: authentication and scopes. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { domainScope, scopes } from "../../../lib/api-keys/scopes.ts";
import { invalidApiKey, lacksScope, messageNotFound, missingCredentials } from "../../../lib/http/error-catalogue.ts";
import { expectError, expectErrorAbout, expectStatus } from "../expect.ts";
import type { Service } from "../service.ts";

const remapped = "x-amzn-remapped-www-authenticate";

export const describeCredentials = (serviceOf: () => Service) =>
  describe("Credentials", () => {
    let service: Service;
    let secret: string;
    let id: string;
    beforeAll(async () => {
      service = serviceOf();
      secret = (await service.newKey()).secret;
      id = await service.newMessage(Buffer.from("Subject: Hello\r\n\r\nHello"));
    });

    test("A request without credentials is rejected with 401", async () => {
      expectError(await service.getMessage(null, id), missingCredentials);
    });

    test("Malformed credentials are rejected with 401", async () => {
      for (const Authorization of ["Basic dTpw", "Bearer", "Bearer a b", secret]) {
        expectError(await service.getMessage(null, id, { headers: { Authorization } }), missingCredentials);
      }
    });

    test("The scheme may have any case", async () => {
      const headers = { Authorization: `bEARER ${secret}` };
      expectStatus(await service.getMessage(null, id, { headers }), 200);
    });

    test("A caller cannot distinguish unknown, revoked, expired and foreign keys", async () => {
      const revoked = await service.newKey();
      await service.revoke(revoked.id);
      const expired = await service.newKey(["*"], service.account_id, Math.floor(Date.now() / 1000) - 10);
      const foreign = await service.newKey(["*"], randomUUID());
      for (const key of ["emk_unknown", revoked.secret, expired.secret, foreign.secret]) {
        const response = await service.getMessage(key, id);
        expectError(response, invalidApiKey);
        expect(response.headers["content-type"]).toBe("application/json");
      }
    });

    test("A new key works on the next request, and a revoked key fails on the next request", async () => {
      const key = await service.newKey();
      expectStatus(await service.getMessage(key.secret, id), 200);
      await service.revoke(key.id);
      expectError(await service.getMessage(key.secret, id), invalidApiKey);
    });

    test("A 401 has WWW-Authenticate", async ({ annotate }) => {
      const { headers } = await service.getMessage(null, id);
      if (headers[remapped]) await annotate(`Known difference: API Gateway renames the header to ${remapped}`);
      expect(headers[remapped] ?? headers["www-authenticate"]).toBe("Bearer");
    });

    test("Each operation requires its scope", async () => {
      const reader = await service.newKey([scopes.readMessages]);
      const adder = await service.newKey([scopes.addMembers]);
      const body = { email: service.newEmail(), role: "Developer" };
      expectStatus(await service.getMessage(reader.secret, id), 200);
      expectError(await service.getMessage(adder.secret, id), lacksScope(scopes.readMessages));
      expectError(await service.addMember(reader.secret, body), lacksScope(scopes.addMembers));
      expectStatus(await service.addMember(adder.secret, body), 201);
    });

    test("A domain's key reads messages from that sender, and incoming messages to that recipient", async () => {
      const { secret: own } = await service.newKey([domainScope("example.com")]);
      const { secret: other } = await service.newKey([domainScope("example.net")]);
      const incoming = await service.newMessage(null, {
        direction: "incoming",
        recipient: "me@example.net",
      });
      expectStatus(await service.getMessage(own, id), 200);
      expectErrorAbout(await service.getMessage(other, id), 403, "scope");
      expectStatus(await service.getMessage(other, incoming), 200);
      expectErrorAbout(await service.getMessage(own, incoming), 403, "scope");
      expectError(await service.getMessage(own, randomUUID()), messageNotFound);
    });
  });
