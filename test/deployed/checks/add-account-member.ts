/** The contract's section 2: what Add Account Member does, and that it does it once. */
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  alreadyMember,
  bodyTooLarge,
  idempotencyKeyLength,
  idempotencyKeyReused,
  malformedJson,
  notJsonMediaType,
} from "../../../lib/api/error-catalogue.ts";
import { AccountMember } from "../../../lib/members/member.ts";
import type { Group } from "../checklist.ts";
import { expectError, expectErrorAbout, expectStatus } from "../expect.ts";
import type { Answer } from "../request.ts";
import type { Service } from "../service.ts";

const replayed = ({ headers }: Answer): boolean => headers["idempotent-replayed"] === "true";

/** How many responses have which status. */
const tally = (answers: Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = `${answer.status}${replayed(answer) ? " replayed" : ""}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

const expectTally = (answers: Answer[], expected: Record<string, number>): void => {
  const counts = tally(answers);
  deepEqual(counts, expected, `the responses are ${JSON.stringify(counts)}`);
};

const many = 200;

export const addAccountMemberChecks = async (service: Service): Promise<Group> => {
  const { addMember, newEmail, account_id } = service;
  const { secret } = await service.newKey();
  const member = (fields = {}) => ({ email: newEmail(), role: "Developer", ...fields });

  return {
    name: "Add Account Member",
    checks: [
      {
        promise: "A member has the documented fields, and no others",
        run: async () => {
          const answer = await addMember(secret, member({ name: "Ada", unknown: "ignored" }));
          const added = expectStatus(answer, 201);
          deepEqual(Object.keys(added), Object.keys(AccountMember.shape));
          equal(added.account_id, account_id);
          ok(!replayed(answer), "a first response is marked as a replay");
        },
      },
      {
        promise: "The same email has the same user_id in every account, whatever its case",
        run: async () => {
          const other = randomUUID();
          const { secret: otherSecret } = await service.newKey(["*"], other);
          const email = newEmail();
          const one = expectStatus(await addMember(secret, member({ email })), 201);
          const two = expectStatus(
            await addMember(otherSecret, member({ email: email.toUpperCase() }), { of: other }),
            201,
          );
          equal(one.user_id, two.user_id);
          notEqual(one.id, two.id);
        },
      },
      {
        promise: "A user who is a member already is a 409",
        run: async () => {
          const body = member();
          expectStatus(await addMember(secret, body), 201);
          expectError(await addMember(secret, body), alreadyMember);
        },
      },
      {
        promise: "The same key with the same request returns the first response, byte for byte",
        run: async () => {
          const key = randomUUID();
          const email = newEmail();
          const first = await addMember(secret, { email, role: "Analyst" }, { key });
          const again = await addMember(secret, ` {"role":"Analyst",  "email":"${email}"}`, { key });
          expectStatus(first, 201);
          expectStatus(again, 201);
          ok(replayed(again) && !replayed(first), "only the second is a replay");
          ok(again.body.equals(first.body), "the body is another one");
          notEqual(again.headers["x-request-id"], first.headers["x-request-id"]);
        },
      },
      {
        promise: "A 409 is replayed, too",
        run: async () => {
          const [key, body] = [randomUUID(), member()];
          expectStatus(await addMember(secret, body), 201);
          expectError(await addMember(secret, body, { key }), alreadyMember);
          const again = await addMember(secret, body, { key });
          expectError(again, alreadyMember);
          ok(replayed(again), "the second is no replay");
        },
      },
      {
        promise: "The same key with a different request is a 422",
        run: async () => {
          const [key, body] = [randomUUID(), member()];
          expectStatus(await addMember(secret, body, { key }), 201);
          expectError(await addMember(secret, { ...body, role: "Analyst" }, { key }), idempotencyKeyReused);
        },
      },
      {
        promise: "What is refused is not stored under the key",
        run: async () => {
          const [key, body] = [randomUUID(), member()];
          expectErrorAbout(await addMember(secret, { ...body, role: "Nobody" }, { key }), 400, "role");
          const added = await addMember(secret, body, { key });
          expectStatus(added, 201);
          ok(!replayed(added), "the first that ran is marked as a replay");
        },
      },
      {
        promise: "An Idempotency-Key beyond 255 characters is a 400",
        run: async () => {
          expectError(await addMember(secret, member(), { key: "k".repeat(256) }), idempotencyKeyLength);
          expectStatus(await addMember(secret, member(), { key: "k".repeat(255) }), 201);
        },
      },
      {
        promise: "Each field that is wrong is a 400 that names it",
        run: async () => {
          expectErrorAbout(await addMember(secret, { role: "Developer" }), 400, "email");
          expectErrorAbout(await addMember(secret, member({ email: "no address" })), 400, "email");
          expectErrorAbout(await addMember(secret, member({ role: "Owner" })), 400, "role");
          expectErrorAbout(await addMember(secret, member({ name: "" })), 400, "name");
          expectErrorAbout(await addMember(secret, "[]"), 400, "object");
          expectErrorAbout(await addMember(secret, '{"__proto__":{}}'), 400, "__proto__");
        },
      },
      {
        promise: "Malformed JSON is a 400",
        run: async () => expectError(await addMember(secret, "{"), malformedJson),
      },
      {
        promise: "A body that is not JSON is a 415",
        run: async () => {
          const headers = { "Content-Type": "text/plain" };
          expectError(await addMember(secret, member(), { headers }), notJsonMediaType);
        },
      },
      {
        promise: "A body over 64 KiB is a 413",
        run: async () =>
          expectError(await addMember(secret, member({ name: "x".repeat(65_536) })), bodyTooLarge),
      },
      {
        promise: `${many} at once with one key: one runs, the others return its response`,
        run: async () => {
          const [key, body] = [randomUUID(), member()];
          const answers = await Promise.all(
            Array.from({ length: many }, () => addMember(secret, body, { key })),
          );
          expectTally(answers, { "201": 1, "201 replayed": many - 1 });
          ok(
            answers.every(({ body }) => answers[0]?.body.equals(body)),
            "the bodies differ",
          );
        },
      },
      {
        promise: `${many} at once for one email, with a key each: one 201, the others 409`,
        run: async () => {
          const body = member();
          const answers = await Promise.all(
            Array.from({ length: many }, () => addMember(secret, body, { key: randomUUID() })),
          );
          expectTally(answers, { "201": 1, "409": many - 1 });
        },
      },
    ],
  };
};
