/** Descriptions and examples of the operation Add Account Member, for the API reference. */
import { alreadyMember, invalid } from "../../lib/http/error-catalogue.ts";
import { addAccountMember } from "../../lib/http/operations.ts";
import { AccountMember, NewMember, Role, rules } from "../../lib/members/member.ts";
import { component } from "./components.ts";
import accountMember from "./examples/account-member.json" with { type: "json" };
import type { OperationTexts } from "./texts.ts";

export const addAccountMemberTexts: OperationTexts = {
  tag: "Members",
  summary: "Add Account Member",
  description: `Gives a user a role in the account. A user is one person across all accounts, so the same email address
always has the same \`user_id\`.

**Retries are safe** with an \`Idempotency-Key\`: the same key with the same request returns the first response again, byte
for byte, with \`Idempotent-Replayed: true\`. If several such requests arrive together, one of them runs, and the others
return its response.

A key belongs to its account and expires 24 hours after its first use. Responses with \`201\` and \`409\` are stored; after
any other error, the key is still unused. White space, the order of fields and an optional field
that is null don't matter.

The API key needs the scope \`${addAccountMember.scope}\`.`,
  body: { email: "ada@example.org", role: "Developer", name: "Ada Lovelace" },
  success: {
    description: "The user is now a member of the account.",
    schema: AccountMember,
    examples: { added: { summary: "A new member", value: accountMember } },
  },
  errors: {
    "A body that is not an object": invalid(rules.body),
    "A missing or wrong email": invalid(rules.email),
    "A missing or wrong role": invalid(rules.role),
    "A wrong name": invalid(rules.name),
    "Already a member": alreadyMember,
  },
  descriptions: { 409: "The user is already a member of this account. Nothing changed." },
  components: {
    Role: { schema: Role, description: "The role of a member in the account.", fields: {} },
    NewMember: component(NewMember, "A user, and the user's role in the account. Other fields are ignored.", {
      email: {
        format: "email",
        description:
          "The email address of the user, in ASCII, without quotes, at a domain with a dot. Addresses that differ only " +
          "in case belong to the same user.",
      },
      role: "The role of the user in the account.",
      name: { minLength: 1, maxLength: 255, description: "The display name. Null means left out." },
    }),
    AccountMember: component(AccountMember, "The relationship between a user and an account.", {
      id: "Identifies the relationship between user and account.",
      created_at: "The time when the user became a member.",
      updated_at: "The time of the last change to the member.",
      user_id: "Identifies the user. The same email address has the same `user_id` in every account.",
      account_id: "Identifies the account.",
      role: "The role of the user in the account.",
    }),
  },
};
