/** Section 2 of the contract: Add Account Member and its idempotency. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import {
  alreadyMember,
  bodyTooLarge,
  idempotencyKeyLength,
  idempotencyKeyReused,
  malformedJson,
  notJsonMediaType,
} from "../../../lib/http/error-catalogue.ts";
import { AccountMember } from "../../../lib/members/member.ts";
import { expectError, expectErrorAbout, expectStatus } from "../expect.ts";
import type { Received } from "../request.ts";
import type { Service } from "../service.ts";

const isReplay = ({ headers }: Received): boolean => headers["idempotent-replayed"] === "true";

const tally = (responses: Received[]): Record<string, number> => {
  const byStatus = Map.groupBy(responses, (one) => `${one.status}${isReplay(one) ? " replay" : ""}`);
  return Object.fromEntries([...byStatus].map(([status, of]) => [status, of.length]));
};

/** A new AWS account runs ten functions at once, and the stage lets a burst of 200 through. */
const parallelRequests = 50;

export const describeAddAccountMember = (serviceOf: () => Service) =>
  describe("Add Account Member", () => {
    let service: Service;
    let secret: string;
    beforeAll(async () => {
      service = serviceOf();
      secret = (await service.newKey()).secret;
    });
    const member = (fields = {}) => ({ email: service.newEmail(), role: "Developer", ...fields });
    const send = (count: number, request: () => Promise<Received>) =>
      Promise.all(Array.from({ length: count }, request));

    test("A member has the documented fields and no others", async () => {
      const response = await service.addMember(secret, member({ name: "Ada", unknown: "ignored" }));
      const added = expectStatus(response, 201);
      expect(Object.keys(added)).toEqual(Object.keys(AccountMember.shape));
      expect(added.account_id).toBe(service.account_id);
      expect(isReplay(response)).toBe(false);
    });

    test("The same email has the same user_id in every account, in any case", async () => {
      const of = randomUUID();
      const { secret: otherSecret } = await service.newKey(["*"], of);
      const email = service.newEmail();
      const first = expectStatus(await service.addMember(secret, member({ email })), 201);
      const body = member({ email: email.toUpperCase() });
      const second = expectStatus(await service.addMember(otherSecret, body, { of }), 201);
      expect(second.user_id).toBe(first.user_id);
      expect(second.id).not.toBe(first.id);
    });

    test("A user who is already a member is rejected with 409", async () => {
      const body = member();
      expectStatus(await service.addMember(secret, body), 201);
      expectError(await service.addMember(secret, body), alreadyMember);
    });

    test("The same key with the same request returns the first response, byte for byte", async () => {
      const key = randomUUID();
      const email = service.newEmail();
      const first = await service.addMember(secret, { email, role: "Analyst" }, { key });
      const again = await service.addMember(secret, ` {"role":"Analyst",  "email":"${email}"}`, { key });
      expectStatus(first, 201);
      expectStatus(again, 201);
      expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
      expect(again.body.equals(first.body)).toBe(true);
      expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
    });

    test("A 409 is replayed", async () => {
      const [key, body] = [randomUUID(), member()];
      expectStatus(await service.addMember(secret, body), 201);
      expectError(await service.addMember(secret, body, { key }), alreadyMember);
      const again = await service.addMember(secret, body, { key });
      expectError(again, alreadyMember);
      expect(isReplay(again)).toBe(true);
    });

    test("The same key with a different request is rejected with 422", async () => {
      const [key, body] = [randomUUID(), member()];
      expectStatus(await service.addMember(secret, body, { key }), 201);
      const other = { ...body, role: "Analyst" };
      expectError(await service.addMember(secret, other, { key }), idempotencyKeyReused);
    });

    test("A rejected request is not stored under its key", async () => {
      const [key, body] = [randomUUID(), member()];
      expectErrorAbout(await service.addMember(secret, { ...body, role: "Nobody" }, { key }), 400, "role");
      const added = await service.addMember(secret, body, { key });
      expectStatus(added, 201);
      expect(isReplay(added)).toBe(false);
    });

    test("An Idempotency-Key of more than 255 characters is rejected with 400", async () => {
      expectError(await service.addMember(secret, member(), { key: "k".repeat(256) }), idempotencyKeyLength);
      expectStatus(await service.addMember(secret, member(), { key: `${randomUUID()}${"k".repeat(219)}` }), 201);
    });

    test("A wrong field is rejected with a 400 that names the field", async () => {
      const wrong = [
        [{ role: "Developer" }, "email"],
        [member({ email: "no address" }), "email"],
        [member({ role: "Owner" }), "role"],
        [member({ name: "" }), "name"],
        ["[]", "object"],
        ['{"__proto__":{}}', "__proto__"],
      ] as const;
      for (const [body, name] of wrong) expectErrorAbout(await service.addMember(secret, body), 400, name);
    });

    test("Malformed JSON is rejected with 400", async () => {
      expectError(await service.addMember(secret, "{"), malformedJson);
    });

    test("A body with another media type is rejected with 415", async () => {
      const headers = { "Content-Type": "text/plain" };
      expectError(await service.addMember(secret, member(), { headers }), notJsonMediaType);
    });

    test("A body over 64 KiB is rejected with 413", async () => {
      expectError(await service.addMember(secret, member({ name: "x".repeat(65_536) })), bodyTooLarge);
    });

    test("Of parallel requests with one key, one executes and the others are replays", async () => {
      const [key, body] = [randomUUID(), member()];
      const responses = await send(parallelRequests, () => service.addMember(secret, body, { key }));
      expect(tally(responses)).toEqual({ 201: 1, "201 replay": parallelRequests - 1 });
      expect(new Set(responses.map((one) => one.body.toString())).size).toBe(1);
    });

    test("Of parallel requests for one email with different keys, one adds the member", async () => {
      const body = member();
      const responses = await send(parallelRequests, () => service.addMember(secret, body, { key: randomUUID() }));
      expect(tally(responses)).toEqual({ 201: 1, 409: parallelRequests - 1 });
    });
  });
