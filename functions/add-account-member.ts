/** Add Account Member: gives a user a role in an account, once per Idempotency-Key. */
import { endpoint } from "../lib/http/endpoint.ts";
import { alreadyMember } from "../lib/http/error-catalogue.ts";
import type { StorableResponse } from "../lib/http/idempotency.ts";
import { addAccountMember } from "../lib/http/operations.ts";
import { errorBody } from "../lib/http/response.ts";
import { lambdaFunction } from "../lib/http/warm-up.ts";
import type { AccountMember } from "../lib/members/member.ts";
import { findUser, newMember, newUser, putMember, putUser, type User } from "../lib/members/store.ts";

const created = (member: AccountMember) => ({ status: addAccountMember.status, body: JSON.stringify(member) });
const conflict = { status: alreadyMember.status, body: errorBody(alreadyMember) };

export const createHandler = endpoint({
  operation: addAccountMember,
  prefetch: ({ body, table }) => findUser(table, body.email),
  handle: ({ path, body, prefetched, table, now, once }) => {
    const join = async (user: User, isNew: boolean): Promise<StorableResponse> => {
      const member = newMember(path.account_id, user.id, body.role, now);
      const memberPut = putMember(table, { ...body, ...member }, now);
      const userPut = putUser(table, user, now);
      const writes = isNew ? [memberPut, userPut] : [memberPut];
      const { response, failed } = await once.commit(created(member), writes);
      if (response) return response;
      // If another request has just created the user, we add that user to the account.
      const existing = failed.get(userPut);
      if (existing) return join(existing, false);
      return once.store(conflict);
    };
    return prefetched ? join(prefetched, false) : join(newUser(body.email, now), true);
  },
});

export const { handler, warmUp } = lambdaFunction(addAccountMember, createHandler, {
  email: "none@example.com",
  role: "Analyst",
});
