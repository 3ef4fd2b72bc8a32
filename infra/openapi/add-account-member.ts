/** What the document says about Add Account Member. */
import * as catalogue from "../../lib/api/error-catalogue.ts";
import { addAccountMember } from "../../lib/api/operations.ts";
import { uuidRule } from "../../lib/api/parameters.ts";
import { newMemberRules } from "../../lib/members/member.ts";
import type { OperationNotes } from "./notes.ts";
import {
  badRequest,
  error,
  failures,
  forbidden,
  idempotentReplayed,
  response,
  unauthorized,
} from "./responses.ts";

const { invalid } = catalogue;

const member = {
  id: "e3b8a1f6-7c25-4d90-b1a4-9f0c6d2e5b38",
  created_at: "2026-11-20T12:00:00.000Z",
  updated_at: "2026-11-20T12:00:00.000Z",
  user_id: "9d2f4c70-18ab-4e63-a5d7-3b6e0f81c924",
  account_id: "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11",
  role: "Developer",
};

export const addAccountMemberNotes: OperationNotes = {
  tag: "Members",
  summary: "Add Account Member",
  description: `Gives a user a role in the account. A user is one person across accounts, known by their email
address: someone who is new becomes a user, someone who is known keeps their \`user_id\`.

**Safe to repeat.** Send an \`Idempotency-Key\`, such as a random UUID, and repeat the request as often as it takes:
the member is added once, and the same key with the same request returns the same response as the first one, byte
for byte, with \`Idempotent-Replayed: true\`. Requests that arrive together do too: no one is told to come back later.

A key belongs to its account and is remembered, with its \`201\` or \`409\`, for 24 hours; any other error leaves it
unused. White space and the order of fields in the body make no difference.

The API key needs the scope \`${addAccountMember.scope}\`.`,
  responses: {
    201: response(
      "The user is now a member of the account.",
      "AccountMember",
      { added: { summary: "A new member", value: member } },
      idempotentReplayed,
    ),
    400: badRequest({
      "An account_id that is no UUID": invalid(uuidRule("account_id")),
      "A wrong Idempotency-Key": catalogue.idempotencyKeyLength,
      "Malformed JSON": catalogue.malformedJson,
      "JSON nested too deep": catalogue.nestedTooDeep,
      "Text that is no Unicode": catalogue.halfSurrogatePair,
      "A field __proto__": catalogue.protoField,
      "A field constructor that holds prototype": catalogue.prototypeField,
      "A body that is no object": invalid(newMemberRules.body),
      "A missing or wrong email": invalid(newMemberRules.email),
      "A missing or wrong role": invalid(newMemberRules.role),
      "A wrong name": invalid(newMemberRules.name),
    }),
    401: unauthorized,
    403: forbidden(addAccountMember.scope),
    409: error(
      "The user is a member of this account. Nothing has changed.",
      { "A member already": catalogue.alreadyMember },
      idempotentReplayed,
    ),
    413: error("The request body is over 64 KiB.", { "A body over 64 KiB": catalogue.bodyTooLarge }),
    415: error("The request body is not JSON.", { "Not JSON": catalogue.notJsonMediaType }),
    422: error(
      "The Idempotency-Key belongs to a different request of the last 24 hours. Nothing has changed.",
      {
        "A key used twice": catalogue.idempotencyKeyReused,
      },
    ),
    ...failures,
  },
};
