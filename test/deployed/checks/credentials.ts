/** The contract's section 3: who is let in, and who hears what. */
import { deepEqual, equal } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  invalidApiKey,
  lacksScope,
  messageNotFound,
  missingCredentials,
} from "../../../lib/api/error-catalogue.ts";
import { domainScope, scopes } from "../../../lib/api-keys/scopes.ts";
import { type Group, knownDifference } from "../checklist.ts";
import { expectError, expectErrorAbout, expectStatus } from "../expect.ts";
import type { Service } from "../service.ts";

const remapped = "x-amzn-remapped-www-authenticate";

export const credentials = async (service: Service): Promise<Group> => {
  const { newKey, newMessage, getMessage, addMember, call, account_id } = service;
  const key = await newKey();
  const id = await newMessage(Buffer.from("Subject: Hello\r\n\r\nHello"));

  /** All that a caller could tell two refusals apart by. */
  const refusal = async (secret: string) => {
    const answer = await getMessage(secret, id);
    expectError(answer, invalidApiKey);
    return { status: answer.status, type: answer.headers["content-type"], body: answer.body.toString() };
  };

  return {
    name: "Credentials",
    checks: [
      {
        promise: "A request without credentials is a 401",
        run: async () => expectError(await getMessage(null, id), missingCredentials),
      },
      {
        promise: "Malformed credentials are a 401",
        run: async () => {
          for (const Authorization of ["Basic dTpw", "Bearer", "Bearer a b", key.secret]) {
            expectError(await getMessage(null, id, { headers: { Authorization } }), missingCredentials);
          }
        },
      },
      {
        promise: "The scheme is taken in any case",
        run: async () => {
          const headers = { Authorization: `bEARER ${key.secret}` };
          expectStatus(await getMessage(null, id, { headers }), 200);
        },
      },
      {
        promise: "Unknown, revoked, expired and another account's keys can't be told apart",
        run: async () => {
          const revoked = await newKey();
          await service.revoke(revoked.id);
          const expired = await newKey(["*"], account_id, Math.floor(Date.now() / 1000) - 10);
          const others = await newKey(["*"], randomUUID());
          const refusals = await Promise.all(
            ["emk_unknown", revoked.secret, expired.secret, others.secret].map(refusal),
          );
          for (const other of refusals) deepEqual(other, refusals[0]);
        },
      },
      {
        promise: "A new key works on the next request, and a revoked one no more",
        run: async () => {
          const { secret, id: keyId } = await newKey();
          expectStatus(await getMessage(secret, id), 200);
          await service.revoke(keyId);
          expectError(await getMessage(secret, id), invalidApiKey);
        },
      },
      {
        promise: "WWW-Authenticate says how to authenticate",
        run: async () => {
          const { headers } = await getMessage(null, id);
          if (headers[remapped] === "Bearer") return knownDifference(`API Gateway renames it to ${remapped}`);
          equal(headers["www-authenticate"], "Bearer");
        },
      },
      {
        promise: "Each operation asks for its scope",
        run: async () => {
          const reader = await newKey([scopes.readMessages]);
          const adder = await newKey([scopes.addMembers]);
          const body = { email: service.newEmail(), role: "Developer" };
          expectStatus(await getMessage(reader.secret, id), 200);
          expectError(await getMessage(adder.secret, id), lacksScope(scopes.readMessages));
          expectError(await addMember(reader.secret, body), lacksScope(scopes.addMembers));
          expectStatus(await addMember(adder.secret, body), 201);
        },
      },
      {
        promise: "A key of a domain reads that sender's messages, and of incoming ones that recipient's",
        run: async () => {
          const own = await newKey([domainScope("example.com")]);
          const other = await newKey([domainScope("example.net")]);
          const incoming = await newMessage(null, { direction: "incoming", recipient: "me@example.net" });
          expectStatus(await getMessage(own.secret, id), 200);
          expectErrorAbout(await getMessage(other.secret, id), 403, "scope");
          expectStatus(await getMessage(other.secret, incoming), 200);
          expectErrorAbout(await getMessage(own.secret, incoming), 403, "scope");
          expectError(await getMessage(own.secret, randomUUID()), messageNotFound);
        },
      },
      {
        promise: "Whatever else is wrong, a caller without a valid key hears of the key",
        run: async () => {
          expectError(await call("/v2/accounts/x/messages/y", "emk_unknown"), invalidApiKey);
          expectError(await addMember("emk_unknown", "{", { key: "x".repeat(300) }), invalidApiKey);
        },
      },
    ],
  };
};
