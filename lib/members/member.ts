/** A member is a user with a role in an account. */
import * as z from "zod/mini";

export const roles = ["Administrator", "Developer", "Analyst", "Billing Manager"] as const;

/** What the HTML standard calls a valid email address, except that the domain must contain a dot. */
const address = /^[\w.!#$%&'*+/=?^`{|}~-]+@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

export const rules = {
  body: "The request body must be a JSON object",
  email: "email must be an email address of at most 254 characters",
  role: `role must be one of ${roles.slice(0, -1).join(", ")} and ${roles.at(-1)}`,
  name: "name must be a string of 1 to 255 characters, or null",
} as const;

export const Role = z.enum(roles, rules.role);

/** The flag `u` lets `.` match a code point, so an emoji counts as one character, as in JSON Schema. */
const displayName = z.string(rules.name).check(z.regex(/^.{1,255}$/su, rules.name));

/** We compare email addresses in lower case, although RFC 5321 would allow `Ada@` and `ada@` to be two users. */
export const NewMember = z.object(
  {
    email: z.string(rules.email).check(z.regex(address, rules.email), z.maxLength(254, rules.email), z.toLowerCase()),
    role: Role,
    name: z.optional(
      z.pipe(
        z.nullable(displayName),
        z.transform((name) => name ?? undefined), // C# serialisers write null for a field that is left out.
      ),
    ),
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
