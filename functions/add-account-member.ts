/** Add Account Member: gives a user a role in an account, exactly once for one Idempotency-Key. */
import { endpoint } from "../lib/api/endpoint.ts";
import type { StorableResponse } from "../lib/api/idempotency.ts";
import { addAccountMember } from "../lib/api/operations.ts";
import type { AccountMember } from "../lib/members/member.ts";
import { findUser, newMember, newUser, putMember, putUser, type User } from "../lib/members/store.ts";

const created = (member: AccountMember) => ({ status: 201, body: JSON.stringify(member) });

const alreadyMember = {
  status: 409,
  body: JSON.stringify({ message: "The user is already a member of this account" }),
};

export const serve = endpoint({
  operation: addAccountMember,
  prefetch: ({ body, table }) => findUser(table, body.email),
  handle: ({ path, body, prefetched, table, now, once }) => {
    const join = async (user: User, isNew: boolean): Promise<StorableResponse> => {
      const member = newMember(path.account_id, user.id, body.role, now);
      const { response, refusal } = await once.commit(created(member), {
        member: putMember(table, member, body.name),
        ...(isNew ? { user: putUser(table, user) } : {}),
      });
      if (response) return response;
      // Someone else has just created the user: they are who is there.
      if (refusal.user) return join(refusal.user as User, false);
      return once.store(alreadyMember);
    };
    return prefetched ? join(prefetched, false) : join(newUser(body.email, now), true);
  },
});

export const handler = serve();
