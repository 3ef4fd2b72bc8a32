/** What a member is: the relationship of a user and an account. */
import * as z from "zod/mini";

export const roles = ["Administrator", "Developer", "Analyst", "Billing Manager"] as const;

/**
 * The address that browsers accept for `<input type="email">` (WHATWG HTML, valid e-mail address), with a
 * dot in its domain: an address on the public Internet has one.
 */
const address =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/** What each field accepts, in words. */
export const newMemberRules = {
  body: "The request body must be a JSON object",
  email: "email must be an email address of at most 254 characters",
  role: "role must be one of Administrator, Developer, Analyst and Billing Manager",
  name: "name must be a string of 1 to 255 characters",
} as const;

const rules = newMemberRules;

export const Role = z.enum(roles, rules.role);

/** The body of Add Account Member. `email` is compared, and so kept, in lower case. */
export const NewMember = z.object(
  {
    email: z
      .string(rules.email)
      .check(z.regex(address, rules.email), z.maxLength(254, rules.email), z.toLowerCase()),
    role: Role,
    // Counted in code points, as JSON Schema counts: the u flag makes one `.` of a surrogate pair.
    name: z.optional(z.string(rules.name).check(z.regex(/^.{1,255}$/su, rules.name))),
  },
  rules.body,
);
export type NewMember = z.infer<typeof NewMember>;

export const AccountMember = z.object({
  id: z.guid(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  user_id: z.guid(),
  account_id: z.guid(),
  role: Role,
});
export type AccountMember = z.infer<typeof AccountMember>;
