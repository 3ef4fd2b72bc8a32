/** Section 4 of the contract: the order of the checks. A request with several mistakes gets the error of the first. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, test } from "vitest";
import { scopes } from "../../../lib/api-keys/scopes.ts";
import {
  bodyTooLarge,
  type ErrorResponse,
  encodedBody,
  idempotencyKeyLength,
  invalidApiKey,
  lacksScope,
  missingCredentials,
  notJsonMediaType,
} from "../../../lib/http/error-catalogue.ts";
import { operations } from "../../../lib/http/operations.ts";
import { expectError, expectErrorAbout } from "../expect.ts";
import type { Service } from "../service.ts";

const wrong = { "Content-Type": "text/plain", "Content-Encoding": "gzip", "Idempotency-Key": "k".repeat(256) };
const body = "x".repeat(70_000);

export const describeOrder = (serviceOf: () => Service) =>
  describe("Order of the checks", () => {
    let service: Service;
    let secret: string;
    let scopeless: string;
    beforeAll(async () => {
      service = serviceOf();
      secret = (await service.newKey()).secret;
      scopeless = (await service.newKey([])).secret;
    });

    test.each(operations)("$id checks the credentials before everything else", async ({ method, path }) => {
      const target = path.replaceAll(/\{\w+\}/g, "no-uuid");
      expectError(await service.call(target, null, { method, headers: wrong }), missingCredentials);
    });

    test.each(operations)(
      "$id: whoever's key is not of the path's account gets 401, whatever else is wrong",
      async (one) => {
        for (const account of ["no-uuid", randomUUID()]) {
          const target = one.path.replace("{account_id}", account).replaceAll(/\{\w+\}/g, "no-uuid");
          for (const key of ["emk_unknown", secret]) {
            expectError(
              await service.call(`${target}?fields=x`, key, { method: one.method, headers: wrong }),
              invalidApiKey,
            );
          }
        }
      },
    );

    test("The path comes before the query, and the query before the scope", async () => {
      expectErrorAbout(await service.getMessage(scopeless, "no-uuid?fields=x"), 400, "message_id");
      expectErrorAbout(await service.getMessage(scopeless, `${randomUUID()}?fields=x`), 400, "fields");
    });

    test.each<[string, Record<string, string>, ErrorResponse]>([
      ["The Idempotency-Key comes before the media type", {}, idempotencyKeyLength],
      ["the media type before the coding", { "Idempotency-Key": "k" }, notJsonMediaType],
      ["the coding before the size", { "Idempotency-Key": "k", "Content-Type": "application/json" }, encodedBody],
    ])("%s", async (_, headers, error) => {
      expectError(await service.addMember(secret, body, { headers: { ...wrong, ...headers } }), error);
    });

    test("The scope comes before the Idempotency-Key, and the size before the JSON", async () => {
      expectError(await service.addMember(scopeless, body, { headers: wrong }), lacksScope(scopes.addMembers));
      expectError(await service.addMember(secret, body), bodyTooLarge);
    });
  });
