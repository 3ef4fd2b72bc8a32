/** Members: the relationship of a user and an account. */
import * as z from "zod/mini";

export const roles = ["Administrator", "Developer", "Analyst", "Billing Manager"] as const;

/** A valid e-mail address in the WHATWG HTML standard. In addition, its domain needs a dot. */
const address =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/** The error message of each field. */
export const newMemberRules = {
  body: "The request body must be a JSON object",
  email: "email must be an email address of at most 254 characters",
  role: "role must be one of Administrator, Developer, Analyst and Billing Manager",
  name: "name must be a string of 1 to 255 characters",
} as const;

const rules = newMemberRules;

export const Role = z.enum(roles, rules.role);

/** The body of Add Account Member. `email` is stored in lower case, because it is compared in lower case. */
export const NewMember = z.object(
  {
    email: z
      .string(rules.email)
      .check(z.regex(address, rules.email), z.maxLength(254, rules.email), z.toLowerCase()),
    role: Role,
    // JSON Schema counts code points. With the flag u, one `.` matches one code point.
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
